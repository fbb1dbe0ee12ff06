// A lane's row after an operator's order. Each order bumps the epoch and draws a nonce, so that the
// lane's owner is fenced. Throw Failure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "common/sql/lane_row.h"

namespace fanfold {

// Throws kRefused when the lane is halted. A paused lane stays as it is.
[[nodiscard]] LaneRow Paused(LaneRow lane, std::string_view reason);

[[nodiscard]] LaneRow Resumed(LaneRow lane);

// Throws kInvalidArgument when its rows do not hold every event below `to`. An outcome stands at or
// above its event's offset in its topic, copies included: reading either topic from `to` misses
// none.
[[nodiscard]] LaneRow Rewound(LaneRow lane, Offset to);

// Who decides: between generations one stops first, then the other begins. Both throw kFenced when
// `fence` is not the lane's any more, or the lane does not run.

// Throws kRefused when outcomes are not known to be in the topic, of rows left in the outbox or
// not.
[[nodiscard]] LaneRow StoppedDeciding(LaneRow lane, const Fence& fence, bool outbox_is_empty);

// `of_partition` are the lanes of every generation. Nothing while another one decides, or holds
// events that this one does not hold yet. It knows the last event that any of them knows.
[[nodiscard]] std::optional<LaneRow> StartedDeciding(std::span<const LaneRow> of_partition,
                                                     const LaneId& lane, const Fence& fence);

// The same lane, its owner fenced.
[[nodiscard]] LaneRow Fenced(LaneRow lane);

}  // namespace fanfold
