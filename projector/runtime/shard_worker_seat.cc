// How the decider's seat goes from one generation to another: given up first, then taken, each lane
// by itself. For a moment nobody decides; two never do.
#include "common/base/logging.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {

void ShardWorker::TendSeats() {
  if (!fold_.projection().decides()) return;
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  const bool looks = now_ms >= seat_due_ms_;
  if (looks) seat_due_ms_ = now_ms + kSeatLookMs;
  for (Lane* lane : lanes_.All()) {
    if (!wants_seat_ && lane->phase == LanePhase::kDeciding) {
      events_->Stop(lane->id.partition);
      lane->phase = LanePhase::kYielding;
    } else if (wants_seat_ && lane->phase == LanePhase::kYielding) {
      ClaimLater(lane->id.partition, 0);
    } else if (lane->phase == LanePhase::kYielding) {
      StepDown(*lane);
    } else if (wants_seat_ && looks && lane->phase == LanePhase::kApplying) {
      StepUp(*lane);
    }
  }
}

void ShardWorker::StepDown(Lane& lane) {
  const LaneProgress& progress = lane.progress;
  if (lane.DraftMoved() || progress.published_offset != progress.event_offset) return;
  const Status stepped = ports_.store->StepDown(lane.id, lane.token);
  if (stepped) {
    LogInfo("seat given up", {{"partition", lane.id.partition.value},
                              {"shard", place_.shard.value},
                              {"generation", place_.generation.value},
                              {"event_offset", progress.event_offset.value}});
  }
  // Whatever came of it, the row says where the lane stands.
  ClaimLater(lane.id.partition, stepped ? 0 : retry_.Next());
}

void ShardWorker::StepUp(Lane& lane) {
  const Result<bool> stepped = ports_.store->StepUp(lane.id, lane.token);
  if (stepped && !*stepped) return;
  if (stepped) {
    LogInfo("seat taken", {{"partition", lane.id.partition.value},
                           {"shard", place_.shard.value},
                           {"generation", place_.generation.value},
                           {"event_offset", lane.progress.event_offset.value}});
  }
  ClaimLater(lane.id.partition, stepped ? 0 : retry_.Next());
}

}  // namespace fanfold::projector
