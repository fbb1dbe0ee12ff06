#include "operations/rebuild/promotable.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "common/ports/halt_reason.h"
#include "operations/base/text.h"
#include "operations/lanes/halt_advice.h"

namespace fanfold::operations {
namespace {

template <class HasToRun>
std::optional<ShardLane> FirstThatStands(std::span<const ShardLane> lanes,
                                         const HasToRun& has_to_run) {
  const auto stands = std::ranges::find_if(lanes, [&](const ShardLane& lane) {
    return has_to_run(lane.status) && lane.status.state != LaneState::kRunning;
  });
  return stands == lanes.end() ? std::nullopt : std::optional(*stands);
}

// It goes on, if only to give up deciding: what halted it is of its own tables.
bool IsDeciderToFree(const LaneStatus& status, Generation generation) {
  const bool is_of_tables = status.state_reason == halt_reasons::kBatchRefused.name() ||
                            status.state_reason == halt_reasons::kOtherGenerations.name();
  return status.lane.generation != generation && status.deciding &&
         status.state == LaneState::kHalted && is_of_tables;
}

}  // namespace

std::optional<ShardLane> LaneThatStands(std::span<const ShardLane> lanes, Generation generation) {
  return FirstThatStands(lanes, [&](const LaneStatus& status) {
    return status.lane.generation == generation || status.deciding;
  });
}

std::vector<ShardLane> DecidersToFree(std::span<const ShardLane> lanes, Generation generation) {
  std::vector<ShardLane> deciders;
  std::ranges::copy_if(lanes, std::back_inserter(deciders), [&](const ShardLane& lane) {
    return IsDeciderToFree(lane.status, generation);
  });
  return deciders;
}

std::optional<ShardLane> LaneThatKeepsDeciding(std::span<const ShardLane> lanes,
                                               Generation generation) {
  return FirstThatStands(lanes, [&](const LaneStatus& status) {
    return status.lane.generation == generation ||
           (status.deciding && !IsDeciderToFree(status, generation));
  });
}

std::optional<ShardLane> OwnLaneThatStands(std::span<const ShardLane> lanes,
                                           Generation generation) {
  return FirstThatStands(
      lanes, [&](const LaneStatus& status) { return status.lane.generation == generation; });
}

std::string DescribeStanding(const ShardLane& lane) {
  const LaneStatus& status = lane.status;
  return fmt::format("{} of generation {} on shard {} is {} ({}): {}", NameOf(status.lane),
                     status.lane.generation.value, lane.shard.value, ToString(status.state),
                     status.state_reason.empty() ? "no reason given" : Escaped(status.state_reason),
                     AdviceFor(status));
}

LaneGoals GoalsOf(std::span<const ShardLane> lanes, Generation read, Generation generation) {
  LaneGoals goals;
  for (const ShardLane& lane : lanes) {
    const LaneId& id = lane.status.lane;
    const bool leads = id.generation == read || lane.status.deciding;
    if (!leads || id.generation == generation) continue;
    Offset& goal = goals[{lane.shard.value, id.partition}];
    goal = std::max(goal, lane.status.progress.event_offset);
  }
  return goals;
}

std::int64_t EventsLacking(const LaneGoals& goals, std::span<const ShardLane> lanes,
                           Generation generation) {
  std::int64_t lacking = 0;
  for (const LaneGoals::value_type& goal : goals) {
    const auto own = std::ranges::find_if(lanes, [&](const ShardLane& lane) {
      const LaneId& id = lane.status.lane;
      return id.generation == generation && std::pair(lane.shard.value, id.partition) == goal.first;
    });
    const Offset at = own == lanes.end() ? Offset(0) : own->status.progress.event_offset;
    lacking += std::max<std::int64_t>(0, goal.second.value - at.value);
  }
  return lacking;
}

LogEnds DecidedEnds(const LogEnds& ends, std::span<const ShardLane> decider) {
  LogEnds decided = ends;
  for (std::size_t p = 0; p < ends.size(); ++p) {
    std::optional<Offset> come;
    bool is_decided = false;
    for (const ShardLane& lane : decider) {
      const LaneStatus& status = lane.status;
      if (status.lane.partition.value != static_cast<std::int32_t>(p)) continue;
      const bool decides = status.deciding;
      is_decided = is_decided || (decides && status.state == LaneState::kRunning);
      // One that stands publishes nothing: what it decided last may never reach the topic.
      come = std::max(come.value_or(Offset(0)),
                      decides ? status.progress.published_offset : status.progress.event_offset);
    }
    // Without any lane nobody has come yet who would decide.
    if (!is_decided && come) decided[p] = std::min(ends[p], *come);
  }
  return decided;
}

CatchUp CatchUpWatch::Look(std::int64_t lacking, std::int64_t now_ms) {
  if (lacking == 0) return CatchUp::kThere;
  if (!least_ || lacking < *least_) {
    least_ = lacking;
    moved_ms_ = now_ms;
  }
  const std::int64_t still_ms = now_ms - moved_ms_;
  if (still_ms >= kFarStillMs) return CatchUp::kStands;
  return lacking <= kNearEvents && still_ms >= kNearStillMs ? CatchUp::kIsNear : CatchUp::kComes;
}

}  // namespace fanfold::operations
