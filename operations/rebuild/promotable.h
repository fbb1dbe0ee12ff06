// What keeps a generation from being read, or from deciding: lanes that stand, and events
// that it lacks. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/lane.h"
#include "common/ports/lane_store.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {

// The first lane that has to run and does not: one of `generation`, or one of another that decides,
// which it alone stops. `lanes` are those of one projection.
[[nodiscard]] std::optional<ShardLane> LaneThatStands(std::span<const ShardLane> lanes,
                                                      Generation generation);
// Those of other generations that decide and are halted because their own tables refuse what
// comes next. As soon as they run again they give it up: who is not to decide takes no event. Any
// other halt is the log's, and whoever decides next halts for it too.
[[nodiscard]] std::vector<ShardLane> DecidersToFree(std::span<const ShardLane> lanes,
                                                    Generation generation);
// As LaneThatStands, without those.
[[nodiscard]] std::optional<ShardLane> LaneThatKeepsDeciding(std::span<const ShardLane> lanes,
                                                             Generation generation);
// As LaneThatStands, where nobody is to decide.
[[nodiscard]] std::optional<ShardLane> OwnLaneThatStands(std::span<const ShardLane> lanes,
                                                         Generation generation);
// "fans/3 of generation 1 on shard 0 is paused (why): what to do"
[[nodiscard]] std::string DescribeStanding(const ShardLane& lane);

// Where the lanes of a generation have to come, so that no answer is older than before and nobody
// waits to decide.
using LaneGoals = std::map<std::pair<std::int32_t, Partition>, Offset>;  // by shard and partition

// To where the lanes of the generation that is read stand, and those that decide.
[[nodiscard]] LaneGoals GoalsOf(std::span<const ShardLane> lanes, Generation read,
                                Generation generation);
// How many events it lacks, over all its lanes; a lane that is not there yet lacks all.
[[nodiscard]] std::int64_t EventsLacking(const LaneGoals& goals, std::span<const ShardLane> lanes,
                                         Generation generation);

// Up to where events have outcomes, or will have: the end of a partition that somebody decides,
// else how far it was decided and published. `following` are its lanes of all generations.
[[nodiscard]] LogEnds DecidedEnds(const LogEnds& ends, std::span<const ShardLane> decider);

enum class CatchUp : std::uint8_t {
  kThere = 1,
  kComes = 2,
  kIsNear = 3,  // nobody folds it at the moment, but what it lacks is soon done
  kStands = 4,  // nobody folds it, and it lacks more
};

// Whether what is lacked becomes less. Steady milliseconds.
class CatchUpWatch {
 public:
  // At most one batch, which is half a second's work: without a projector this much may be lacking.
  // Events, not a time: who is folded is waited for to the last event, so that how long these took
  // to come matters only where nobody folds, and there what is read stands still as well.
  static constexpr std::int64_t kNearEvents = EdgeStore::kEdgesMax;
  // How long nothing may move: while lanes change hands nothing does. A killed owner's are taken
  // over after its session's time out.
  static constexpr std::int64_t kNearStillMs = 5'000;
  static constexpr std::int64_t kFarStillMs = 60'000;

  [[nodiscard]] CatchUp Look(std::int64_t lacking, std::int64_t now_ms);

 private:
  std::optional<std::int64_t> least_;
  std::int64_t moved_ms_ = 0;
};

}  // namespace fanfold::operations
