#include "reader/freshness/lanes_read.h"

#include <set>
#include <utility>

namespace fanfold::reader {

std::vector<Shard> ShardsOf(std::span<const LanesRead> lanes) {
  std::set<Shard> shards;
  for (const LanesRead& read : lanes) shards.insert(read.shard);
  return {shards.begin(), shards.end()};
}

std::vector<LaneNeed> NeedsOf(std::span<const Position> positions, std::span<const LanesRead> lanes,
                              const Deployment& deployment) {
  std::set<std::pair<Projection, Shard>> read;
  std::vector<LaneNeed> needs;
  for (const Position& position : positions) {
    read.clear();
    for (const LanesRead& lane : lanes) {
      const bool anywhere = lane.projection.rows() == RowsLive::kAnywhere;
      const Shard shard = anywhere ? lane.shard : deployment.placement.ShardOf(position.partition);
      if (!read.emplace(lane.projection, shard).second) continue;
      const Generation generation = deployment.read[lane.projection];
      needs.push_back(
          {LaneId{lane.projection, generation, position.partition}, shard, position.offset});
    }
  }
  return needs;
}

}  // namespace fanfold::reader
