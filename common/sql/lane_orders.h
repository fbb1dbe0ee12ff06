// What an operator's word makes of a lane's row. Each bumps the epoch and draws a nonce, which
// fences the lane's owner. Throw Failure.
#pragma once

#include <string_view>

#include "common/sql/lane_row.h"

namespace fanfold {

// Throws kRefused when it is halted. One that is paused stays as it is.
[[nodiscard]] LaneRow Paused(LaneRow lane, std::string_view reason);

[[nodiscard]] LaneRow Resumed(LaneRow lane);

// Throws kInvalidArgument when its rows do not hold every event below `to`. An outcome stands at or
// above its event's offset in its topic, copies included, so `to` will do as a place in both.
[[nodiscard]] LaneRow Rewound(LaneRow lane, Offset to);

// The same lane, its owner fenced.
[[nodiscard]] LaneRow Fenced(LaneRow lane);

}  // namespace fanfold
