#include "cli/audit_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/lanes.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

Json IdOrNull(UserId user) { return user == UserId(0) ? Json() : Json(ToString(user)); }

}  // namespace

bool ShownPace::Read(std::int64_t items) {
  read_ += items;
  const LoadProgress load{std::min(read_, total_), total_};
  if (progress_.Due()) {
    progress_.Show({.done = load.done,
                    .total = load.total,
                    .items = read_,
                    .items_name = "rows",
                    .elapsed_ms = progress_.elapsed_ms()});
  }
  if (told_ && progress_.elapsed_ms() - told_ms_ >= kTellMs) {
    told_ms_ = progress_.elapsed_ms();
    told_(load);
  }
  std::int64_t ahead_ms = 0;
  if (rows_per_second_ > 0) {
    ahead_ms = read_ * 1000 / rows_per_second_ - progress_.elapsed_ms();
  }
  return !session_.interrupt.WaitFor(std::max<std::int64_t>(ahead_ms, 0));
}

AuditPorts AuditedTables::PortsFor(Session& session, ScanPace& pace) const {
  return {*log, [&session](Shard shard) { return session.backend.OpenSnapshot(shard); }, placement,
          pace};
}

Result<AuditedTables> OpenAudited(Session& session) {
  Result<std::shared_ptr<EventLog>> log = session.backend.OpenLog();
  if (!log) return Forward(log);
  Result<std::unique_ptr<ProjectionReader>> first = session.backend.OpenReader(Shard(0));
  if (!first) return Forward(first);
  Result<Catalog> catalog = (*first)->ReadCatalog();
  if (!catalog) return Forward(catalog);
  const Result<Placement> placement = PlacementOn(**log, Topic::kOutcomes, session.backend);
  if (!placement) return std::unexpected(placement.error());
  if (catalog->partitions != placement->partitions() || catalog->shards != placement->shards()) {
    return Fail(ErrorCode::kRefused,
                fmt::format("the configuration has {} partitions on {} shards; the tables are of "
                            "{} on {}",
                            placement->partitions(), placement->shards(), catalog->partitions,
                            catalog->shards));
  }
  return AuditedTables{std::move(*log), *catalog, *placement};
}

Result<VerifyReport> VerifyAll(Session& session, const AuditedTables& tables, ShownPace& pace) {
  // Every outcome is read, and stands in a row of both tables at most.
  constexpr std::int64_t kReadsOfAnOutcome = 3;
  Result<LogEnds> outcomes = ReadEnds(*tables.log, Topic::kOutcomes, tables.placement.partitions());
  if (!outcomes) return Forward(outcomes);
  pace.Expect(kReadsOfAnOutcome * SumOf(*outcomes));
  return Verifier(tables.PortsFor(session, pace), tables.catalog.read, AllProjections()).All();
}

std::string ItemsJson(std::span<const Difference> differences) {
  Json items = Json::array();
  for (const Difference& difference : differences) {
    items.push_back({{"kind", ToString(difference.kind)},
                     {"projection", ToString(difference.projection)},
                     {"user_id", IdOrNull(difference.user)},
                     {"other_id", IdOrNull(difference.other)},
                     {"shard", difference.shard.value},
                     {"detail", difference.detail}});
  }
  return items.dump();
}

std::string ToText(const Difference& difference) {
  std::string text =
      fmt::format("{} {}", ToString(difference.kind), ToString(difference.projection));
  if (difference.user != UserId(0)) {
    text += fmt::format(" user {}", difference.user.value);
    if (difference.other != UserId(0)) text += fmt::format(" other {}", difference.other.value);
    text += fmt::format(" on shard {}", difference.shard.value);
  }
  return text + ": " + difference.detail;
}

}  // namespace fanfold
