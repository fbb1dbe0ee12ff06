#include "common/sql/migration_plan.h"

#include <fmt/format.h>

#include "common/sql/failure.h"

namespace fanfold {

std::vector<EmbeddedText> MissingMigrations(std::span<const EmbeddedText> known,
                                            std::set<std::string> applied) {
  std::vector<EmbeddedText> missing;
  for (const EmbeddedText& migration : known) {
    if (applied.erase(std::string(migration.name)) == 0) missing.push_back(migration);
  }
  if (applied.empty()) return missing;
  throw Failure(ErrorCode::kRefused,
                fmt::format("the schema has had migration {}, which this build does not know",
                            *applied.begin()));
}

bool WantsCatalog(Shard shard, const std::optional<Shape>& there, const Shape& asked) {
  if (shard != Shard(0)) {
    if (!there) return false;
    throw Failure(ErrorCode::kRefused,
                  fmt::format("the schema meant for shard {} is shard 0's", shard.value));
  }
  if (!there) return true;
  if (*there != asked) {
    throw Failure(ErrorCode::kRefused,
                  fmt::format("the catalog says {} partitions on {} shards, asked for are {} on {}",
                              there->partitions, there->shards, asked.partitions, asked.shards));
  }
  return false;
}

}  // namespace fanfold
