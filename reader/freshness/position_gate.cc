#include "reader/freshness/position_gate.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace fanfold::reader {

bool PositionGate::Reached(const PositionNeed& need) const {
  if (!AtReader(need)) return ReachedInTables(need);
  return std::ranges::all_of(need.positions,
                             [&](Position position) { return live_.Passed(position); });
}

std::string PositionGate::Missing(const PositionNeed& need) const {
  if (!AtReader(need)) return board_.Missing(need.lanes);
  for (const Position position : need.positions) {
    if (live_.Passed(position)) continue;
    const Offset next = live_.Next(position.partition).value_or(Offset(0));
    const Lag lag = board_.LagBehind(position.partition, next);
    return fmt::format(
        "{} was asked for, the outcomes of the events below {}:{} are in the answers; lag {} "
        "events, {} ms",
        ToString(position), position.partition.value, next.value, lag.events, lag.ms);
  }
  return "";
}

bool PositionGate::IsAtLogsEnd(const Deployment& deployment) const {
  const auto partitions = static_cast<std::size_t>(deployment.placement.partitions());
  return live_.PassedAll(board_.Ends().first(partitions)) && !board_.EndsAreStale();
}

Lag PositionGate::LagAtReader(std::span<const LanesRead> lanes,
                              const Deployment& deployment) const {
  Lag worst;
  const auto add = [&](Partition partition) {
    const Lag lag = board_.LagBehind(partition, live_.Next(partition).value_or(Offset(0)));
    worst.ms = std::max(worst.ms, lag.ms);
  };
  for (const LanesRead& read : lanes) {
    if (read.partition) {
      add(*read.partition);
      continue;
    }
    for (std::int32_t p = 0; p < deployment.placement.partitions(); ++p) add(Partition(p));
  }
  return worst;
}

Lag PositionGate::FreshLagOfTables(std::span<const LanesRead> lanes, const Deployment& deployment,
                                   ShardedReader& tables) {
  const Lag lag = board_.LagOf(lanes, deployment);
  if (lag.ms == 0) return lag;
  for (const Shard shard : ShardsOf(lanes)) {
    if (board_.LanesAgeMs(shard) <= kLanesFreshMs) continue;
    (void)LookAtLanesOn(shard, tables);
  }
  return board_.LagOf(lanes, deployment);
}

Status PositionGate::LookAtLanes(std::span<const LanesRead> lanes, ShardedReader& tables) {
  for (const Shard shard : ShardsOf(lanes)) {
    if (Status looked = LookAtLanesOn(shard, tables); !looked) return looked;
  }
  return {};
}

Status PositionGate::LookAtLanesOn(Shard shard, ShardedReader& tables) {
  const Result<ProjectionReader*> reader = tables.On(shard);
  if (!reader) return std::unexpected(reader.error());
  Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!lanes) return Forward(lanes);
  board_.SetLanes(shard, *std::move(lanes));
  return {};
}

}  // namespace fanfold::reader
