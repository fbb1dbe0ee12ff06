#include "operations/rebuild/generations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/ports/deployment_check.h"

namespace fanfold::operations {

Result<Generations> Generations::Open(Context& context) {
  Result<AuditedTables> tables = OpenAudited(context);
  if (!tables) return Forward(tables);
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  Generations opened(context, std::move(*tables), std::move(*readers));
  for (std::int32_t shard = 0; shard < context.backend.shards(); ++shard) {
    auto operations = context.backend.OpenGenerations(Shard(shard));
    if (!operations) return Forward(operations);
    opened.shards_.push_back(std::move(*operations));
  }
  return opened;
}

Result<std::vector<KnownGeneration>> Generations::List() {
  Result<Catalog> catalog = readers_.front()->ReadCatalog();
  if (!catalog) return Forward(catalog);
  struct OnShards {
    std::int32_t loaded = 0;
    std::int32_t deciding = 0;
    std::optional<std::int64_t> until_ms;
    SlotMapId slot_map;
  };
  std::map<std::pair<Projection, Generation>, OnShards> known;
  Status listed = OnEachShard([&](Shard, GenerationOperations& operations) -> Status {
    Result<std::vector<GenerationRow>> rows = operations.List();
    if (!rows) return Forward(rows);
    for (const GenerationRow& row : *rows) {
      OnShards& on_shards = known[{row.projection, row.generation}];
      on_shards.loaded += row.state == GenerationState::kLoading ? 0 : 1;
      on_shards.deciding += row.to_decide ? 1 : 0;
      on_shards.until_ms = row.until_ms;
      on_shards.slot_map = row.slot_map;
    }
    return {};
  });
  if (!listed) return Forward(listed);
  const std::int32_t shards = context_->backend.shards();
  std::vector<KnownGeneration> all;
  for (const auto& [key, on_shards] : known) {
    const auto& [projection, generation] = key;
    const auto loaded = on_shards.until_ms ? GenerationState::kSide : GenerationState::kFolding;
    all.push_back({projection, generation,
                   on_shards.loaded == shards ? loaded : GenerationState::kLoading,
                   catalog->read[projection] == generation, on_shards.deciding == shards,
                   on_shards.deciding > 0, on_shards.until_ms, on_shards.slot_map});
  }
  return all;
}

Result<std::vector<Shard>> Generations::ShardsLoading(Projection projection,
                                                      Generation generation) {
  std::vector<Shard> loading;
  Status listed = OnEachShard([&](Shard shard, GenerationOperations& operations) -> Status {
    const Result<std::vector<GenerationRow>> rows = operations.List();
    if (!rows) return std::unexpected(rows.error());
    for (const GenerationRow& row : *rows) {
      const bool is_it = row.projection == projection && row.generation == generation;
      if (is_it && row.state == GenerationState::kLoading) loading.push_back(shard);
    }
    return {};
  });
  if (!listed) return Forward(listed);
  return loading;
}

Result<std::vector<ShardLane>> Generations::LanesOf(Projection projection) {
  Result<std::vector<ShardLane>> lanes = ReadLanes(readers_);
  if (!lanes) return lanes;
  std::erase_if(*lanes,
                [&](const ShardLane& lane) { return lane.status.lane.projection != projection; });
  return lanes;
}

Result<std::vector<ShardLane>> Generations::LanesOf(Projection projection, Generation generation) {
  Result<std::vector<ShardLane>> lanes = LanesOf(projection);
  if (!lanes) return lanes;
  std::erase_if(*lanes,
                [&](const ShardLane& lane) { return lane.status.lane.generation != generation; });
  return lanes;
}

Status Generations::OnEachShard(const std::function<Status(Shard, GenerationOperations&)>& work) {
  for (std::size_t s = 0; s < shards_.size(); ++s) {
    const Shard shard(static_cast<std::int32_t>(s));
    if (Status done = work(shard, *shards_[s]); !done) return OfShard(shard, done.error());
  }
  return {};
}

Result<Placement> Generations::PlacementOf(SlotMapId map) {
  const Placement& read = tables_.deployment.placement;
  if (map == read.slot_map()) return read;
  return ReadPlacement(*readers_.front(), read.shape(), map);
}

}  // namespace fanfold::operations
