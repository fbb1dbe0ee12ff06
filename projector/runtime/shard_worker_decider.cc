// How deciding goes from one generation to another: one stops first, then the other begins, each
// lane by itself. For a moment nobody decides; two never do.
#include "common/base/logging.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {

void ShardWorker::TendDeciders() {
  if (!fold_.projection().decides()) return;
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  const bool looks = now_ms >= decider_due_ms_;
  if (looks) decider_due_ms_ = now_ms + kDeciderLookMs;
  for (Lane* lane : lanes_.All()) {
    if (!to_decide_ && lane->phase == LanePhase::kDeciding) {
      events_.reader->Stop(lane->id.partition);
      lane->phase = LanePhase::kYielding;
    } else if (to_decide_ && lane->phase == LanePhase::kYielding) {
      TakeLater(lane->id.partition, 0);
    } else if (lane->phase == LanePhase::kYielding) {
      StopDeciding(*lane);
    } else if (to_decide_ && looks && lane->phase == LanePhase::kApplying) {
      StartDeciding(*lane);
    }
  }
}

void ShardWorker::StopDeciding(Lane& lane) {
  const LaneProgress& progress = lane.progress;
  if (lane.DraftMoved() || progress.published_offset != progress.event_offset) return;
  const Status stepped = ports_.store->StopDeciding(lane.id, lane.fence);
  if (stepped) {
    LogInfo("lane decides no more", {{"partition", lane.id.partition.value},
                                     {"shard", place_.shard.value},
                                     {"generation", place_.generation.value},
                                     {"event_offset", progress.event_offset.value}});
  }
  // Whatever came of it, the row says where the lane stands.
  TakeLater(lane.id.partition, stepped ? 0 : retry_.Next());
}

void ShardWorker::StartDeciding(Lane& lane) {
  const Result<bool> stepped = ports_.store->StartDeciding(lane.id, lane.fence);
  if (stepped && !*stepped) return;
  if (stepped) {
    LogInfo("lane decides", {{"partition", lane.id.partition.value},
                             {"shard", place_.shard.value},
                             {"generation", place_.generation.value},
                             {"event_offset", lane.progress.event_offset.value}});
  }
  TakeLater(lane.id.partition, stepped ? 0 : retry_.Next());
}

}  // namespace fanfold::projector
