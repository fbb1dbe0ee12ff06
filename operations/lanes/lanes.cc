#include "operations/lanes/lanes.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <ranges>
#include <tuple>
#include <utility>

#include "common/ports/deployment_check.h"

namespace fanfold::operations {
namespace {

const LaneStatus* Find(std::span<const ShardLane> lanes, Shard shard, const LaneId& lane) {
  const auto found = std::ranges::find_if(lanes, [&](const ShardLane& candidate) {
    return candidate.shard == shard && candidate.status.lane == lane;
  });
  return found == lanes.end() ? nullptr : &found->status;
}

}  // namespace

Result<LogEnds> ReadEnds(EventLog& log, Topic topic, std::int32_t partitions) {
  if (Status fits = CheckTopic(log, topic, partitions); !fits) return Forward(fits);
  Result<std::vector<LogBounds>> bounds = log.AllBounds(topic, partitions);
  if (!bounds) return Forward(bounds);
  LogEnds ends;
  for (const LogBounds& held : *bounds) ends.push_back(held.end);
  return ends;
}

Result<AllEnds> ReadAllEnds(EventLog& log, std::int32_t partitions) {
  AllEnds all;
  for (const Topic topic : Topic::All() | std::views::reverse) {
    Result<LogEnds> ends = ReadEnds(log, topic, partitions);
    if (!ends) return Forward(ends);
    all[topic] = std::move(*ends);
  }
  return all;
}

Offset EndOf(const LogEnds& ends, Partition partition) {
  const auto index = static_cast<std::size_t>(partition.value);
  return index < ends.size() ? ends[index] : Offset(0);
}

std::int64_t SumOf(const LogEnds& ends) {
  std::int64_t sum = 0;
  for (const Offset end : ends) sum += end.value;
  return sum;
}

std::int64_t SumOf(const AllEnds& ends, bool of_outcomes) {
  std::int64_t sum = 0;
  for (const Topic topic : Topic::All()) {
    if (topic.of_outcomes() == of_outcomes) sum += SumOf(ends[topic]);
  }
  return sum;
}

std::vector<Position> LastOf(const LogEnds& ends) {
  std::vector<Position> last;
  for (std::size_t p = 0; p < ends.size(); ++p) {
    if (ends[p] == Offset(0)) continue;
    last.push_back({Partition(static_cast<std::int32_t>(p)), Offset(ends[p].value - 1)});
  }
  return last;
}

std::string NameOf(const LaneId& lane) {
  return fmt::format("{}/{}", ToString(lane.projection), lane.partition.value);
}

Result<std::vector<ShardLane>> ReadLanes(const ShardReaders& readers) {
  LanesThatAnswer read = ReadLanesThatAnswer(readers);
  if (!read.failures.empty()) return std::unexpected(std::move(read.failures.front()));
  return std::move(read.lanes);
}

LanesThatAnswer ReadLanesThatAnswer(const ShardReaders& readers) {
  LanesThatAnswer read;
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const Shard shard(static_cast<std::int32_t>(i));
    Result<std::vector<LaneStatus>> of_shard = readers[i]->Lanes();
    if (!of_shard) {
      read.silent.push_back(shard);
      read.failures.push_back(OfShard(shard, of_shard.error()).error());
      continue;
    }
    for (LaneStatus& status : *of_shard) read.lanes.push_back({shard, std::move(status)});
  }
  return read;
}

std::vector<LaggingLane> LaggingLanes(const AllEnds& ends, const Deployment& read,
                                      std::span<const ShardLane> lanes) {
  const Placement& placement = read.placement;
  std::vector<LaggingLane> lagging;
  const auto look = [&](Shard shard, const LaneId& lane, Offset end) {
    const LaneStatus* status = Find(lanes, shard, lane);
    const Offset at = status == nullptr ? Offset(0) : status->progress.event_offset;
    const bool halted = status != nullptr && status->state == LaneState::kHalted;
    const bool reached = at == end || (at > end && !halted);
    if (reached) return;
    lagging.push_back({shard, lane, at, end,
                       status == nullptr ? std::nullopt : std::optional<LaneStatus>(*status)});
  };
  for (const Projection projection : Projection::All()) {
    const LogEnds& events = ends[projection.stream().events()];
    if (events.empty()) continue;
    for (std::int32_t p = 0; p < placement.partitions(); ++p) {
      for (std::int32_t s = 0; s < placement.shards(); ++s) {
        if (!projection.HasLane(Partition(p), Shard(s), placement)) continue;
        look(Shard(s), {projection, read.read[projection], Partition(p)},
             events[static_cast<std::size_t>(p)]);
      }
    }
  }
  return lagging;
}

std::int64_t EventsLacking(std::span<const LaggingLane> lagging) {
  std::map<LaneId, std::int64_t> worst;
  for (const LaggingLane& lane : lagging) {
    std::int64_t& events = worst[lane.lane];
    events = std::max(events, lane.end.value - lane.at.value);
  }
  std::int64_t sum = 0;
  for (const auto& [lane, events] : worst) sum += events;
  return sum;
}

}  // namespace fanfold::operations
