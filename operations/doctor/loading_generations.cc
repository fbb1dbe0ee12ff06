#include "operations/doctor/loading_generations.h"

#include <algorithm>
#include <expected>
#include <map>
#include <utility>

#include "common/ports/deployment_check.h"

namespace fanfold::operations {

LoadingFound FindLoading(Backend& backend, const std::vector<Shard>& silent) {
  LoadingFound found;
  std::map<std::pair<Projection, Generation>, bool> loading;
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    if (std::ranges::find(silent, Shard(shard)) != silent.end()) continue;
    auto operations = backend.OpenGenerations(Shard(shard));
    const auto rows = operations ? (*operations)->List() : std::unexpected(operations.error());
    if (!rows) {
      found.missed.push_back(OfShard(Shard(shard), rows.error()).error().message);
      continue;
    }
    for (const GenerationRow& row : *rows) {
      if (row.state != GenerationState::kLoading) continue;
      const Status free = (*operations)->Hold(row.projection);
      if (!free && free.error().code != ErrorCode::kRefused) {
        found.missed.push_back(OfShard(Shard(shard), free.error()).error().message);
      }
      bool& is_held = loading[{row.projection, row.generation}];
      is_held = is_held || !free;
    }
  }
  for (const auto& [key, is_held] : loading) {
    found.loading.push_back({key.first, key.second, is_held});
  }
  return found;
}

}  // namespace fanfold::operations
