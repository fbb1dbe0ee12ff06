#include "reader/freshness/position_gate.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace fanfold::reader {

bool PositionGate::AllAtReader(const PositionNeed& need) const {
  return std::ranges::all_of(
      need.positions, [&](const StreamPosition& asked) { return AtReader(need, asked.stream); });
}

bool PositionGate::Reached(const PositionNeed& need) const {
  for (const auto& [stream, position] : need.positions) {
    if (AtReader(need, stream) && !readers_[stream]->Passed(position)) return false;
  }
  return AllAtReader(need) || board_.Reached(NeededOfTables(need));
}

std::vector<LaneNeed> PositionGate::NeededOfTables(const PositionNeed& need) const {
  std::vector<LaneNeed> lanes;
  std::ranges::copy_if(need.lanes, std::back_inserter(lanes), [&](const LaneNeed& lane) {
    return !AtReader(need, lane.lane.projection.stream());
  });
  return lanes;
}

std::string PositionGate::Missing(const PositionNeed& need) const {
  for (const StreamPosition& asked : need.positions) {
    if (!AtReader(need, asked.stream)) continue;
    std::string missing = MissingAtReader(asked);
    if (!missing.empty()) return missing;
  }
  return AllAtReader(need) ? "" : board_.Missing(NeededOfTables(need));
}

std::string PositionGate::MissingAtReader(const StreamPosition& asked) const {
  const auto& [stream, position] = asked;
  if (readers_[stream]->Passed(position)) return "";
  const Offset next = readers_[stream]->Next(position.partition).value_or(Offset(0));
  const Lag lag = board_.LagBehind(stream, position.partition, next);
  return fmt::format(
      "{} was asked for, the {}events below {}:{} are in the answers; lag {} events, {} ms",
      ToString(asked), stream.outcomes() ? "outcomes of the " : "", position.partition.value,
      next.value, lag.events, lag.ms);
}

bool PositionGate::IsAtEnd(Stream stream, const Deployment& deployment) const {
  const auto partitions = static_cast<std::size_t>(deployment.placement.partitions());
  return readers_[stream] != nullptr &&
         readers_[stream]->PassedAll(board_.Ends(stream).first(partitions)) &&
         !board_.EndsAreStale(stream);
}

Lag PositionGate::LagAtReader(std::span<const LanesRead> lanes,
                              const Deployment& deployment) const {
  Lag worst;
  for (const LanesRead& read : lanes) {
    const Lag lag = LagAtReader(read, deployment);
    worst.ms = std::max(worst.ms, lag.ms);
  }
  return worst;
}

Lag PositionGate::LagAtReader(const LanesRead& read, const Deployment& deployment) const {
  const Stream stream = read.projection.stream();
  if (!IsFollowed(stream)) return board_.LagOf(std::span(&read, 1), deployment);
  const auto behind = [&](Partition partition) {
    const Offset next = readers_[stream]->Next(partition).value_or(Offset(0));
    return board_.LagBehind(stream, partition, next);
  };
  if (read.partition) return behind(*read.partition);
  Lag worst;
  for (std::int32_t p = 0; p < deployment.placement.partitions(); ++p) {
    worst.ms = std::max(worst.ms, behind(Partition(p)).ms);
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
