// An operator's word to lanes: pause, resume, rewind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"
#include "operations/base/context.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {

// The lanes that an operator means: on every shard that has them.
struct LaneTarget {
  Projection projection;
  std::optional<Partition> partition;  // absent: all
};

enum class LaneOrder : std::uint8_t { kPause = 1, kResume = 2, kRewind = 3 };
struct LaneOrderOptions {
  LaneOrder order = LaneOrder::kPause;
  LaneTarget target;
  std::optional<Generation> generation;   // absent: the one that is read
  std::string reason = "by an operator";  // of a pause
  Offset to;                              // of a rewind
};

// The lanes that are meant, or every lane, of the shards that answer, by lane and shard. Errors:
// OpenReaders'.
[[nodiscard]] Result<LanesThatAnswer> ListLanes(Context& context,
                                                const std::optional<LaneTarget>& target);

struct LaneTold {
  ShardLane lane;  // as it was before
  Status told;     // kRefused: it is halted already; kNotFound, kUnavailable, …
};
struct LanesTold {
  std::vector<LaneTold> lanes;                 // in the order in which they were told
  Result<std::vector<ShardLane>> as_they_are;  // as they stand afterwards
};

// Tells each lane that is meant. Errors: kNotFound, there is none; the ports', and no lane was
// told.
[[nodiscard]] Result<LanesTold> OrderLanes(Context& context, const LaneOrderOptions& options);

}  // namespace fanfold::operations
