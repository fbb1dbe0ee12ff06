#include "common/sql/lane_orders.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/base/random.h"
#include "common/sql/failure.h"

namespace fanfold {

LaneRow Fenced(LaneRow lane) {
  lane.token = {lane.token.epoch + 1, RandomBits()};
  return lane;
}

LaneRow Paused(LaneRow lane, std::string_view reason) {
  if (lane.state == LaneState::kHalted) {
    throw Failure(ErrorCode::kRefused,
                  fmt::format("{} is halted already ({})", Describe(lane.lane), lane.state_reason));
  }
  if (lane.state == LaneState::kPaused) return lane;
  lane.state = LaneState::kPaused;
  lane.state_reason = reason;
  return Fenced(std::move(lane));
}

LaneRow Resumed(LaneRow lane) {
  if (lane.state == LaneState::kRunning) return lane;
  lane.state = LaneState::kRunning;
  lane.state_reason.clear();
  return Fenced(std::move(lane));
}

LaneRow Rewound(LaneRow lane, Offset to) {
  LaneProgress& progress = lane.progress;
  if (to > progress.event_offset) {
    throw Failure(ErrorCode::kInvalidArgument,
                  fmt::format("{} stands at {} and can only be rewound to below it",
                              Describe(lane.lane), progress.event_offset.value));
  }
  for (Offset* offset : {&progress.next_offset, &progress.event_offset, &progress.outcome_offset,
                         &progress.published_offset}) {
    *offset = std::min(*offset, to);
  }
  progress.last_digest = 0;
  return Fenced(std::move(lane));
}

}  // namespace fanfold
