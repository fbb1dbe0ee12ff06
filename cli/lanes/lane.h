// `fanfold lane list|pause|resume|rewind PROJECTION[/PARTITION]`
#pragma once

#include <optional>
#include <string_view>

#include "cli/terminal/session.h"
#include "operations/lanes/lane_orders.h"

namespace fanfold {

[[nodiscard]] std::optional<operations::LaneTarget> ParseLaneTarget(std::string_view text);

struct LaneListOptions {
  std::optional<operations::LaneTarget> target;  // absent: every lane
};
// Shows the lanes of the shards that answer; not kFine when one does not.
[[nodiscard]] ExitCode RunLaneList(Session& session, const LaneListOptions& options);

// kRefused when a lane is halted already; kError when one cannot be changed, or there is none.
[[nodiscard]] ExitCode RunLaneOrder(Session& session, const operations::LaneOrderOptions& options);

}  // namespace fanfold
