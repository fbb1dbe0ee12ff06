// Finds what keeps a generation from being read, or from deciding: lanes that stand, and events
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

// The first lane that has to run and does not: a lane of `generation`, or one of another generation
// that decides, since that lane alone can give deciding up. `lanes` are those of one projection.
[[nodiscard]] std::optional<ShardLane> LaneThatStands(std::span<const ShardLane> lanes,
                                                      Generation generation);
// Lanes of other generations that decide and were halted by their own tables: these refuse what
// comes next, or were restored. Once they run again they give deciding up: a lane that is not to
// decide takes no event. Any other halt is the log's, and whoever decides next halts for it too.
[[nodiscard]] std::vector<ShardLane> DecidersToFree(std::span<const ShardLane> lanes,
                                                    Generation generation);
// As LaneThatStands, without DecidersToFree.
[[nodiscard]] std::optional<ShardLane> LaneThatKeepsDeciding(std::span<const ShardLane> lanes,
                                                             Generation generation);
// As LaneThatStands, of `generation` alone: nobody is to decide.
[[nodiscard]] std::optional<ShardLane> OwnLaneThatStands(std::span<const ShardLane> lanes,
                                                         Generation generation);
// "fans/3 of generation 1 on shard 0 is paused (why): what to do"
[[nodiscard]] std::string DescribeStanding(const ShardLane& lane);

// Where the lanes of a generation have to come, so that no answer is older than before and nobody
// waits to decide.
using LaneGoals = std::map<std::pair<std::int32_t, Partition>, Offset>;  // by shard and partition

// Where the lanes of the generation that is read stand, and those that decide.
[[nodiscard]] LaneGoals GoalsOf(std::span<const ShardLane> lanes, Generation read,
                                Generation generation);
// How many events it lacks, over all its lanes; a lane that is not there yet lacks all.
[[nodiscard]] std::int64_t EventsLacking(const LaneGoals& goals, std::span<const ShardLane> lanes,
                                         Generation generation);

// By partition, up to where events have outcomes, or will have: its end where a lane decides, else
// how far it was decided and published. `decider`: the lanes, of all generations, of the projection
// that decides.
[[nodiscard]] LogEnds DecidedEnds(const LogEnds& ends, std::span<const ShardLane> decider);

enum class CatchUp : std::uint8_t {
  kThere = 1,
  kComes = 2,
  kIsNear = 3,  // nobody folds it at the moment, but what it lacks is soon done
  kStands = 4,  // nobody folds it, and it lacks more
};

// Watches whether what is lacking becomes less. Steady milliseconds.
class CatchUpWatch {
 public:
  // So much may be lacking where no projector runs: at most one batch, which is half a second's
  // work. It is told in events, not in time: a generation that is folded is waited for to its last
  // event, and where nobody folds it the one that is read stands still as well.
  static constexpr std::int64_t kNearEvents = EdgeStore::kEdgesMax;
  // How long nothing may move. Nothing moves while lanes change hands, and those of a killed owner
  // are taken over only after its session has timed out.
  static constexpr std::int64_t kNearStillMs = 5'000;
  static constexpr std::int64_t kFarStillMs = 60'000;

  [[nodiscard]] CatchUp Look(std::int64_t lacking, std::int64_t now_ms);

 private:
  std::optional<std::int64_t> least_;
  std::int64_t moved_ms_ = 0;
};

}  // namespace fanfold::operations
