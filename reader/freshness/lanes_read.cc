#include "reader/freshness/lanes_read.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace fanfold::reader {

LanesRead LanesOfUser(Projection projection, UserId user, const Placement& placement) {
  return {projection, placement.ShardOf(user), placement.PartitionOf(user)};
}

void AddEverywhere(std::vector<LanesRead>& lanes, Projection projection,
                   const Placement& placement) {
  for (std::int32_t shard = 0; shard < placement.shards(); ++shard) {
    lanes.push_back({projection, Shard(shard), std::nullopt});
  }
}

std::vector<Shard> ShardsOf(std::span<const LanesRead> lanes) {
  std::set<Shard> shards;
  for (const LanesRead& read : lanes) shards.insert(read.shard);
  return {shards.begin(), shards.end()};
}

namespace {

// The lanes that are read of a stream; of one of which none is, all.
std::vector<LanesRead> LanesOf(Stream stream, std::span<const LanesRead> lanes,
                               std::int32_t shards) {
  std::vector<LanesRead> of;
  std::ranges::copy_if(lanes, std::back_inserter(of),
                       [&](const LanesRead& lane) { return lane.projection.stream() == stream; });
  if (!of.empty()) return of;
  for (const Projection projection : Projection::All()) {
    if (projection.stream() != stream) continue;
    for (std::int32_t s = 0; s < shards; ++s) of.push_back({projection, Shard(s), std::nullopt});
  }
  return of;
}

}  // namespace

std::vector<LaneNeed> NeedsOf(std::span<const StreamPosition> positions,
                              std::span<const LanesRead> lanes, const Deployment& deployment) {
  std::set<std::pair<Projection, Shard>> read;
  std::vector<LaneNeed> needs;
  for (const auto& [stream, position] : positions) {
    read.clear();
    for (const LanesRead& lane : LanesOf(stream, lanes, deployment.placement.shards())) {
      const Shard shard =
          lane.projection.LaneShard(position.partition, lane.shard, deployment.placement);
      if (!read.emplace(lane.projection, shard).second) continue;
      const Generation generation = deployment.read[lane.projection];
      needs.push_back(
          {LaneId{lane.projection, generation, position.partition}, shard, position.offset});
    }
  }
  return needs;
}

}  // namespace fanfold::reader
