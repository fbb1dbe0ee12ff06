// `fanfold lane list|pause|resume|rewind PROJECTION[/PARTITION]`
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "common/ports/lane.h"

namespace fanfold {

// Which lanes an operator means: on every shard that has them.
struct LaneTarget {
  Projection projection;
  std::optional<Partition> partition;  // absent: all
};
[[nodiscard]] std::optional<LaneTarget> ParseLaneTarget(std::string_view text);

struct LaneListOptions {
  std::optional<LaneTarget> target;  // absent: every lane
};
enum class LaneOrder : std::uint8_t { kPause = 1, kResume = 2, kRewind = 3 };
struct LaneOrderOptions {
  LaneOrder order = LaneOrder::kPause;
  LaneTarget target;
  std::optional<Generation> generation;   // absent: the one that is read
  std::string reason = "by an operator";  // of a pause
  Offset to;                              // of a rewind
};

[[nodiscard]] ExitCode RunLaneList(Session& session, const LaneListOptions& options);

// kRefused when a lane is halted already; kError when one cannot be changed, or there is none.
[[nodiscard]] ExitCode RunLaneOrder(Session& session, const LaneOrderOptions& options);

}  // namespace fanfold
