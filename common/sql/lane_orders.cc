#include "common/sql/lane_orders.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/base/random.h"
#include "common/sql/failure.h"

namespace fanfold {
namespace {

void CheckFence(const LaneRow& lane, const Fence& fence, bool deciding) {
  if (lane.fence != fence || lane.deciding != deciding || lane.state != LaneState::kRunning) {
    throw Failure(ErrorCode::kFenced,
                  fmt::format("lane {} has another owner, or is stopped", Describe(lane.lane)));
  }
}

}  // namespace

LaneRow Fenced(LaneRow lane) {
  lane.fence = {lane.fence.epoch + 1, RandomBits()};
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
  return Fenced(std::move(lane));
}

LaneRow StoppedDeciding(LaneRow lane, const Fence& fence, bool outbox_is_empty) {
  CheckFence(lane, fence, kDeciding);
  LaneProgress& progress = lane.progress;
  if (progress.published_offset != progress.event_offset || !outbox_is_empty) {
    throw Failure(ErrorCode::kRefused,
                  fmt::format("{} has decided what is not published yet", Describe(lane.lane)));
  }
  lane.deciding = kApplying;
  progress.next_offset = progress.outcome_offset;
  return Fenced(std::move(lane));
}

std::optional<LaneRow> StartedDeciding(std::span<const LaneRow> of_partition, const LaneId& lane,
                                       const Fence& fence) {
  const auto own = std::ranges::find(of_partition, lane, &LaneRow::lane);
  if (own == of_partition.end()) throw Failure(ErrorCode::kFenced, NoLane(lane));
  CheckFence(*own, fence, kApplying);
  const bool waits = std::ranges::any_of(of_partition, [&](const LaneRow& other) {
    return other.deciding || other.progress.event_offset > own->progress.event_offset;
  });
  if (waits) return std::nullopt;
  LaneRow decider = *own;
  decider.deciding = kDeciding;
  decider.progress.next_offset = decider.progress.event_offset;
  for (const LaneRow& other : of_partition) {
    RecordMark& known = decider.progress.event_mark;
    const RecordMark& theirs = other.progress.event_mark;
    const bool is_further = known.digest == 0 || theirs.offset > known.offset;
    if (theirs.digest != 0 && is_further) known = theirs;
  }
  return Fenced(std::move(decider));
}

}  // namespace fanfold
