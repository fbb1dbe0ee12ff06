// How a worker's lanes begin and end: taken, started, recovered, given up, and taken again.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>

#include "common/base/logging.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {
namespace {

// Where a position stands to what the log holds; nothing when it is inside.
std::optional<HaltReason> OutsideOf(const LogBounds& bounds, Offset position,
                                    HaltReason above) noexcept {
  if (position < bounds.begin) return halt_reasons::kRetentionGap;
  if (position > bounds.end) return above;
  return std::nullopt;
}

}  // namespace

void ShardWorker::TakeLater(Partition partition, std::int64_t wait_ms) {
  StopReading(partition);
  lanes_.Remove(partition);
  to_take_[partition] = ports_.clock.SteadyMs() + wait_ms;
}

void ShardWorker::Gain(std::span<const Partition> partitions) {
  for (const Partition partition : partitions) {
    // The topic may have been given more partitions than the deployment has.
    const bool is_ours = partition.value < place_.placement.partitions() &&
                         fold_.projection().HasLane(partition, place_.shard, place_.placement);
    if (!is_ours) continue;
    TakeLater(partition, 0);
    starting_.insert(partition);
  }
}

// One that stands still has started, too: its row says why.
void ShardWorker::NoteStarted() {
  std::erase_if(starting_, [this](Partition partition) {
    const Lane* lane = lanes_.Find(partition);
    return lane != nullptr && lane->phase != LanePhase::kRecovering;
  });
}

Status ShardWorker::Health() const {
  if (!health_ || starting_.empty()) return health_;
  return Fail(ErrorCode::kUnavailable, fmt::format("{} lanes do not fold yet", starting_.size()));
}

void ShardWorker::Lose(std::span<const Partition> partitions) {
  for (const Partition partition : partitions) {
    to_take_.erase(partition);
    starting_.erase(partition);
    StopReading(partition);
  }
  (void)relay_.Flush(kDrainMs);
  (void)Commit(nullptr, {}, 0);
  std::vector<LaneFence> given_up;
  for (const Partition partition : partitions) {
    // A failed commit puts its lanes back among those to take.
    to_take_.erase(partition);
    if (const Lane* lane = lanes_.Find(partition)) given_up.push_back({lane->id, lane->fence});
    lanes_.Remove(partition);
  }
  if (!given_up.empty()) ports_.store->Release(given_up);
}

// A later generation is made beside one that decides.
bool ShardWorker::NewDecide() const noexcept {
  return fold_.projection().decides() && place_.generation == Generation(1);
}

void ShardWorker::TakeDue() {
  // What failed kept these from work; with none to take, nothing does.
  if (to_take_.empty()) {
    health_ = {};
    return;
  }
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  std::vector<LaneId> due;
  for (const auto& [partition, due_ms] : to_take_) {
    if (due_ms <= now_ms) due.push_back({fold_.projection(), place_.generation, partition});
  }
  if (due.empty()) return;
  Result<std::vector<TakenLane>> taken = ports_.store->TakeFences(due, NewDecide(), owner_);
  if (!taken) {
    const std::int64_t wait_ms = retry_.Next();
    LogWarning("lanes not taken", {{"projection", ToString(fold_.projection())},
                                   {"shard", place_.shard.value},
                                   {"error", taken.error().message},
                                   {"retry_ms", wait_ms}});
    health_ = Forward(taken);
    for (const LaneId& lane : due) to_take_[lane.partition] = now_ms + wait_ms;
    return;
  }
  health_ = {};
  open_fold_->Forget();
  ports_.metrics.claims.Add(static_cast<double>(due.size()));
  // Nothing was read that could have been replaced unseen, however long the start takes.
  if (!lanes_.AnyRuns()) {
    for (auto* polled : {&polled_ms_, &events_.at_ms, &outcomes_.at_ms}) polled->reset();
  }
  std::vector<Lane*> lanes;
  for (const TakenLane& lane : *taken) {
    to_take_.erase(lane.lane.partition);
    lanes.push_back(&lanes_.Add(lane));
  }
  StartLanes(lanes);
  if (health_) retry_.Reset();
  // Not in the same step: what runs is to be read again within kStandstillMs.
  look_due_ms_ = std::max(look_due_ms_, ports_.clock.SteadyMs() + 1);
}

// Stopped lanes are taken once more, since that reads state and position in one: whoever let
// the lane go on may have moved it. What fails is left to the next look.
void ShardWorker::LookAtLanes() {
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  if (now_ms < look_due_ms_) return;
  look_due_ms_ = now_ms + kLookMs;
  const std::vector<LaneId> stopped = StoppedAfterLook();
  if (stopped.empty()) return;
  const Result<std::vector<TakenLane>> taken =
      ports_.store->TakeFences(stopped, NewDecide(), owner_);
  if (!taken) return;
  std::vector<Lane*> resumed;
  for (const TakenLane& one : *taken) {
    Lane& lane = lanes_.Add(one);
    if (lane.phase != LanePhase::kStopped) resumed.push_back(&lane);
  }
  if (resumed.empty()) return;
  open_fold_->Forget();
  StartLanes(resumed);
}

// Drops what is not ours any more: a lane that was taken over is left alone for as long as a fenced
// one is; one that an operator has changed is still ours to take. Returns those that stand still.
std::vector<LaneId> ShardWorker::StoppedAfterLook() {
  std::vector<LaneFence> held;
  for (const Lane* lane : lanes_.All()) {
    held.push_back({lane->id, lane->fence, lane->progress.next_offset});
  }
  const Result<std::vector<FenceState>> states = ports_.store->FenceStatesOf(held, owner_);
  std::vector<LaneId> stopped;
  for (std::size_t i = 0; states && i < held.size(); ++i) {
    const LaneId& lane = held[i].lane;
    const bool stands = lanes_.Find(lane.partition)->phase == LanePhase::kStopped;
    if ((*states)[i] != FenceState::kHeld) {
      TakeLater(lane.partition, (*states)[i] == FenceState::kTakenOver ? kFencedPauseMs : 0);
    } else if (stands) {
      stopped.push_back(lane);
    }
  }
  return stopped;
}

// The events are asked second, so that they reach to the event of each outcome there is. Nothing is
// taken of a topic before what the lanes know of it is found there.
void ShardWorker::StartLanes(std::span<Lane* const> lanes) {
  for (Lane* lane : Proved(lanes)) StartLane(*lane);
}

void ShardWorker::StartLane(Lane& lane) {
  LogInfo("lane taken", {{"projection", ToString(fold_.projection())},
                         {"partition", lane.id.partition.value},
                         {"shard", place_.shard.value},
                         {"epoch", lane.fence.epoch},
                         {"next_offset", lane.progress.next_offset.value}});
  const LaneProgress& at = lane.progress;
  const Status started = StartAt(*outcomes_.reader, lane.outcomes_held, lane,
                                 lane.deciding ? at.outcome_offset : at.next_offset);
  if (!started) TakeAgain(lane.id.partition, started);
}

// Asks what `topic` holds of all that run at once, and returns those it was learned of; the others
// are taken again.
std::vector<Lane*> ShardWorker::AskBounds(Topic topic, std::span<Lane* const> lanes,
                                          LogBounds Lane::* held) {
  std::vector<Lane*> asked;
  std::vector<Partition> partitions;
  for (Lane* lane : lanes) {
    if (lane->phase == LanePhase::kStopped) continue;
    asked.push_back(lane);
    partitions.push_back(lane->id.partition);
  }
  std::vector<Lane*> learned;
  if (asked.empty()) return learned;
  const std::vector<Result<LogBounds>> bounds = ports_.log.BoundsOf(topic, partitions);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!bounds[i]) {
      TakeAgain(partitions[i], std::unexpected(bounds[i].error()));
      continue;
    }
    asked[i]->*held = *bounds[i];
    learned.push_back(asked[i]);
  }
  return learned;
}

// Those that fail together wait together.
void ShardWorker::TakeAgain(Partition partition, Status why) {
  if (health_) start_retry_ms_ = retry_.Next();
  health_ = std::move(why);
  TakeLater(partition, start_retry_ms_);
}

// Reads `lane` from `from`, or halts it when the log does not hold that. Errors: the reader's;
// nothing was started.
Status ShardWorker::StartAt(LogReader& reader, const LogBounds& held, Lane& lane, Offset from) {
  const bool recovers = lane.phase == LanePhase::kRecovering;
  lane.halt = OutsideOf(held, from,
                        recovers ? halt_reasons::kOutcomesTruncated : halt_reasons::kLogTruncated);
  return lane.halt ? Status() : reader.Start(lane.id.partition, from);
}

void ShardWorker::FinishRecoveries() {
  FoldOutboxes();
  for (Lane* lane : lanes_.All()) {
    if (!lane->HasReadTopic() || lane->OutboxIsAhead() || lane->DraftMoved()) continue;
    if (const Status finished = FinishRecovery(*lane); !finished) {
      TakeAgain(lane->id.partition, finished);
    }
  }
}

Status ShardWorker::FinishRecovery(Lane& lane) {
  outcomes_.reader->Stop(lane.id.partition);
  lane.flight = &relay_.Open({lane.scan_offset, lane.draft.outcome_offset, lane.draft.applied_mark},
                             lane.progress.event_offset);
  Offset from = lane.scan_offset;
  for (const OutboxRow& row : lane.outbox) {
    if (row.next <= from) continue;
    if (!relay_.Publish(*lane.flight, row, from)) {
      lane.halt = halt_reasons::kOutcomesTruncated;
      return {};
    }
    from = row.next;
  }
  lane.outbox.clear();
  lane.phase = LanePhase::kDeciding;
  // Who has come here by outcomes alone knows no event: the one before is read for its mark.
  const Offset next = lane.progress.next_offset;
  const bool learns = lane.draft.event_mark.digest == 0 && next > lane.events_held.begin;
  return StartAt(*events_.reader, lane.events_held, lane, learns ? Offset(next.value - 1) : next);
}

void ShardWorker::StopReading(Partition partition) {
  events_.reader->Stop(partition);
  outcomes_.reader->Stop(partition);
}

}  // namespace fanfold::projector
