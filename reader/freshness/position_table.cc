#include "reader/freshness/position_table.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fanfold::reader {

void EndHistory::Observe(Offset end, std::int64_t now_ms) {
  if (samples_.empty() || end < samples_.back().end) {
    samples_ = {{now_ms, end}};
    first_end_ = end;
    learned_.reset();
    return;
  }
  if (end == samples_.back().end) return;
  if (samples_.size() == kSamplesMax) Thin();
  samples_.push_back({now_ms, end});
}

// Joins neighbours under the earlier time: an age may come out too high, never too low.
void EndHistory::Thin() {
  std::vector<Sample> kept;
  kept.reserve(kSamplesMax);
  for (std::size_t i = 0; i + 1 < samples_.size(); i += 2) {
    kept.push_back({samples_[i].seen_ms, samples_[i + 1].end});
  }
  samples_ = std::move(kept);
}

void EndHistory::Learn(Offset event, std::int64_t appended_ms) {
  learned_ = Learned{event, appended_ms};
}

Offset EndHistory::end() const { return samples_.empty() ? Offset(0) : samples_.back().end; }

std::int64_t EndHistory::AgeMs(Offset event, std::int64_t now_ms) const {
  if (event >= end()) return 0;
  const auto seen = std::ranges::upper_bound(samples_, event, {}, &Sample::end);
  std::int64_t since_ms = seen->seen_ms;
  // An earlier event's time serves as well until the event's own is learned: too high, never too
  // low.
  const bool learned = learned_ && learned_->event <= event;
  if (learned && event < first_end_) since_ms = std::min(since_ms, learned_->appended_ms);
  return std::max<std::int64_t>(1, now_ms - since_ms);
}

bool EndHistory::IsOlderThanKnown(Offset event) const {
  return event < first_end_ && !(learned_ && learned_->event == event);
}

PositionTable::PositionTable(std::int64_t now_ms) {
  for (const Stream stream : Stream::All()) EndsSeen(stream, now_ms);
}

void PositionTable::SetLanes(Shard shard, std::vector<LaneStatus> lanes) {
  std::ranges::sort(lanes, {}, &LaneStatus::lane);
  lanes_[shard] = std::move(lanes);
}

const std::vector<LaneStatus>& PositionTable::Lanes(Shard shard) const {
  static const std::vector<LaneStatus> kNone;
  const auto found = lanes_.find(shard);
  return found == lanes_.end() ? kNone : found->second;
}

void PositionTable::ObserveEnd(Stream stream, Partition partition, Offset end,
                               std::int64_t now_ms) {
  streams_[stream].of[partition].Observe(end, now_ms);
}

Offset PositionTable::End(Stream stream, Partition partition) const {
  const auto& ends = streams_[stream].of;
  const auto found = ends.find(partition);
  return found == ends.end() ? Offset(0) : found->second.end();
}

bool PositionTable::IsThere(Projection projection, Generation generation, Shard shard,
                            SlotMapId map) const {
  return std::ranges::any_of(Lanes(shard), [&](const LaneStatus& status) {
    return status.lane.projection == projection && status.lane.generation == generation &&
           status.slot_map == map && !status.loading;
  });
}

bool PositionTable::Knows(Projection projection, Generation generation) const {
  return std::ranges::any_of(lanes_, [&](const auto& of_shard) {
    return std::ranges::any_of(of_shard.second, [&](const LaneStatus& status) {
      return status.lane.projection == projection && status.lane.generation == generation;
    });
  });
}

PositionTable::OfGenerations PositionTable::EventsHeld() const {
  std::map<LaneId, std::int64_t> slowest;
  for (const auto& [shard, lanes] : lanes_) {
    for (const LaneStatus& status : lanes) {
      const std::int64_t events = status.progress.event_offset.value;
      const auto [known, is_new] = slowest.emplace(status.lane, events);
      if (!is_new) known->second = std::min(known->second, events);
    }
  }
  OfGenerations held;
  for (const auto& [lane, events] : slowest) held[{lane.projection, lane.generation}] += events;
  return held;
}

PositionTable::Loads PositionTable::LoadsUnderWay() const {
  Loads loads;
  for (const LaneStatus& status : Lanes(Shard(0))) {
    if (!status.loading) continue;
    const auto generation = std::pair(status.lane.projection, status.lane.generation);
    loads.done[generation] = status.load.done;
    loads.total[generation] = status.load.total;
  }
  return loads;
}

std::int64_t PositionTable::EventsInLog(Stream stream) const {
  std::int64_t events = 0;
  for (const auto& [partition, history] : streams_[stream].of) events += history.end().value;
  return events;
}

PositionTable::LaneCounts PositionTable::LanesByState() const {
  LaneCounts counts;
  for (const auto& [shard, lanes] : lanes_) {
    for (const LaneStatus& status : lanes) {
      if (!status.loading) ++counts[{status.lane.projection, status.state}];
    }
  }
  return counts;
}

Offset PositionTable::EventOffset(const LaneId& lane, Shard shard) const {
  const std::vector<LaneStatus>& lanes = Lanes(shard);
  const auto found = std::ranges::lower_bound(lanes, lane, {}, &LaneStatus::lane);
  const bool known = found != lanes.end() && found->lane == lane;
  return known ? found->progress.event_offset : Offset(0);
}

Lag PositionTable::LagOf(const LaneId& lane, Shard shard, std::int64_t now_ms) const {
  return LagBehind(lane.projection.stream(), lane.partition, EventOffset(lane, shard), now_ms);
}

Lag PositionTable::LagBehind(Stream stream, Partition partition, Offset applied,
                             std::int64_t now_ms) const {
  const StreamEnds& ends = streams_[stream];
  Lag lag;
  if (const auto end = ends.of.find(partition); end != ends.of.end()) {
    lag.events = std::max<std::int64_t>(0, end->second.end().value - applied.value);
    lag.ms = end->second.AgeMs(applied, now_ms);
  }
  const std::int64_t unseen_ms = now_ms - ends.seen_ms;
  if (unseen_ms > kEndsStaleMs) lag.ms = std::max(lag.ms, unseen_ms);
  return lag;
}

Lag PositionTable::LagOf(std::span<const LanesRead> lanes, const Deployment& deployment,
                         std::int64_t now_ms) const {
  Lag worst;
  const auto add = [&](const LanesRead& read, Partition partition) {
    const LaneId lane{read.projection, deployment.read[read.projection], partition};
    const Lag lag = LagOf(lane, read.shard, now_ms);
    worst.events += lag.events;
    worst.ms = std::max(worst.ms, lag.ms);
  };
  for (const LanesRead& read : lanes) {
    if (read.partition) {
      add(read, *read.partition);
      continue;
    }
    for (std::int32_t p = 0; p < deployment.placement.partitions(); ++p) {
      const Partition partition(p);
      if (read.projection.HasLane(partition, read.shard, deployment.placement)) {
        add(read, partition);
      }
    }
  }
  return worst;
}

std::vector<LaneStand> PositionTable::Stands(const Deployment& deployment,
                                             std::int64_t now_ms) const {
  std::vector<LaneStand> stands;
  for (const Projection projection : Projection::All()) {
    for (std::int32_t p = 0; p < deployment.placement.partitions(); ++p) {
      const LaneId lane{projection, deployment.read[projection], Partition(p)};
      std::optional<Offset> applied;
      for (std::int32_t s = 0; s < deployment.placement.shards(); ++s) {
        if (!projection.HasLane(Partition(p), Shard(s), deployment.placement)) continue;
        const Offset here = EventOffset(lane, Shard(s));
        applied = std::min(applied.value_or(here), here);
      }
      if (!applied) continue;
      const Stream stream = projection.stream();
      stands.push_back({projection, Partition(p), *applied, End(stream, Partition(p)),
                        LagBehind(stream, Partition(p), *applied, now_ms).ms});
    }
  }
  return stands;
}

Offset PositionTable::Slowest(Stream stream, Partition partition,
                              const Deployment& deployment) const {
  Offset slowest = Offset(std::numeric_limits<std::int64_t>::max());
  for (std::int32_t s = 0; s < deployment.placement.shards(); ++s) {
    for (const auto projection : Projection::All()) {
      const bool has_lane = projection.HasLane(partition, Shard(s), deployment.placement);
      if (projection.stream() != stream || !has_lane) continue;
      const LaneId lane{projection, deployment.read[projection], partition};
      slowest = std::min(slowest, EventOffset(lane, Shard(s)));
    }
  }
  return slowest;
}

std::optional<Offset> PositionTable::Unaged(Stream stream, Partition partition,
                                            const Deployment& deployment) const {
  const auto& ends = streams_[stream].of;
  const auto end = ends.find(partition);
  if (end == ends.end()) return std::nullopt;
  for (std::int32_t s = 0; s < deployment.placement.shards(); ++s) {
    if (!lanes_.contains(Shard(s))) return std::nullopt;
  }
  const Offset slowest = std::min(end->second.end(), Slowest(stream, partition, deployment));
  if (slowest == end->second.end() || !end->second.IsOlderThanKnown(slowest)) return std::nullopt;
  return slowest;
}

void PositionTable::Learn(Stream stream, Partition partition, Offset event,
                          std::int64_t appended_ms) {
  streams_[stream].of[partition].Learn(event, appended_ms);
}

}  // namespace fanfold::reader
