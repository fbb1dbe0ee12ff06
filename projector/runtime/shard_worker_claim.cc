// How a worker's lanes begin and end: claims, starts, recoveries, halts, and claims again.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "common/base/logging.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {
namespace {

LogField PartitionField(Partition partition) { return {"partition", partition.value}; }

// Where a position stands to what the log holds; nothing when it is inside.
std::optional<HaltReason> OutsideOf(const LogBounds& bounds, Offset position,
                                    HaltReason above) noexcept {
  if (position < bounds.begin) return HaltReason::kRetentionGap;
  if (position > bounds.end) return above;
  return std::nullopt;
}

}  // namespace

void ShardWorker::ClaimLater(Partition partition, std::int64_t wait_ms) {
  StopReading(partition);
  lanes_.Remove(partition);
  to_claim_[partition] = ports_.clock.SteadyMs() + wait_ms;
}

void ShardWorker::Gain(std::span<const Partition> partitions) {
  for (const Partition partition : partitions) {
    // The topic may have been given more partitions than the deployment has.
    const bool is_ours = partition.value < place_.placement.partitions() &&
                         fold_.projection().HasLane(partition, place_.shard, place_.placement);
    if (!is_ours) continue;
    ClaimLater(partition, 0);
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
    to_claim_.erase(partition);
    starting_.erase(partition);
    StopReading(partition);
  }
  (void)relay_.Flush(kDrainMs);
  (void)Commit(nullptr, {}, 0);
  std::vector<LaneClaim> given_up;
  for (const Partition partition : partitions) {
    // A failed commit puts its lanes back among those to claim.
    to_claim_.erase(partition);
    if (const Lane* lane = lanes_.Find(partition)) given_up.push_back({lane->id, lane->token});
    lanes_.Remove(partition);
  }
  if (!given_up.empty()) ports_.store->Release(given_up);
}

// A later generation is made beside one that decides.
LaneRole ShardWorker::RoleOfNew() const noexcept {
  const bool decides = fold_.projection().decides() && place_.generation == Generation(1);
  return decides ? LaneRole::kDecides : LaneRole::kApplies;
}

void ShardWorker::ClaimDue() {
  // What failed kept these from work; with none to claim, nothing does.
  if (to_claim_.empty()) {
    health_ = {};
    return;
  }
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  std::vector<LaneId> due;
  for (const auto& [partition, due_ms] : to_claim_) {
    if (due_ms <= now_ms) due.push_back({fold_.projection(), place_.generation, partition});
  }
  if (due.empty()) return;
  Result<std::vector<ClaimedLane>> claimed = ports_.store->Claim(due, RoleOfNew(), owner_);
  if (!claimed) {
    const std::int64_t wait_ms = retry_.Next();
    LogWarning("claim failed", {{"projection", ToString(fold_.projection())},
                                {"shard", place_.shard.value},
                                {"error", claimed.error().message},
                                {"retry_ms", wait_ms}});
    health_ = Forward(claimed);
    for (const LaneId& lane : due) to_claim_[lane.partition] = now_ms + wait_ms;
    return;
  }
  health_ = {};
  row_loader_.Forget();
  ports_.metrics.claims.Add(static_cast<double>(due.size()));
  // Nothing was read that could have been replaced unseen, however long the start takes.
  if (!lanes_.AnyRuns()) polled_ms_.reset();
  std::vector<Lane*> lanes;
  for (const ClaimedLane& lane : *claimed) {
    to_claim_.erase(lane.lane.partition);
    lanes.push_back(&lanes_.Add(lane));
  }
  StartLanes(lanes);
  if (health_) retry_.Reset();
  // Not in the same step: what runs is to be read again within kStandstillMs.
  look_due_ms_ = std::max(look_due_ms_, ports_.clock.SteadyMs() + 1);
}

// Stopped lanes are claimed once more, since a claim reads state and position in one: whoever let
// the lane go on may have moved it. What fails is left to the next look.
void ShardWorker::LookAtLanes() {
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  if (now_ms < look_due_ms_) return;
  look_due_ms_ = now_ms + kLookMs;
  const std::vector<LaneId> stopped = StoppedAfterLook();
  if (stopped.empty()) return;
  const Result<std::vector<ClaimedLane>> claimed =
      ports_.store->Claim(stopped, RoleOfNew(), owner_);
  if (!claimed) return;
  std::vector<Lane*> resumed;
  for (const ClaimedLane& claim : *claimed) {
    Lane& lane = lanes_.Add(claim);
    if (lane.phase != LanePhase::kStopped) resumed.push_back(&lane);
  }
  if (resumed.empty()) return;
  row_loader_.Forget();
  StartLanes(resumed);
}

// Drops what is not ours any more: a lane that was taken over is left alone for as long as a fenced
// one is; one that an operator has changed is still ours to claim. Returns those that stand still.
std::vector<LaneId> ShardWorker::StoppedAfterLook() {
  std::vector<LaneClaim> claims;
  for (const Lane* lane : lanes_.All()) {
    claims.push_back({lane->id, lane->token, lane->progress.next_offset});
  }
  const Result<std::vector<Standing>> standings = ports_.store->StandingsOf(claims, owner_);
  std::vector<LaneId> stopped;
  for (std::size_t i = 0; standings && i < claims.size(); ++i) {
    const LaneId& lane = claims[i].lane;
    const bool stands = lanes_.Find(lane.partition)->phase == LanePhase::kStopped;
    if ((*standings)[i] != Standing::kHeld) {
      ClaimLater(lane.partition, (*standings)[i] == Standing::kTakenOver ? kFencedPauseMs : 0);
    } else if (stands) {
      stopped.push_back(lane);
    }
  }
  return stopped;
}

// The events are asked second, so that they reach to the event of each outcome there is.
void ShardWorker::StartLanes(std::span<Lane* const> lanes) {
  std::vector<Lane*> recovering;
  for (Lane* lane : AskBounds(Topic::kOutcomes, lanes)) {
    if (lane->phase == LanePhase::kRecovering) {
      recovering.push_back(lane);
    } else {
      StartLane(*lane, lane->progress.next_offset, true);
    }
  }
  for (Lane* lane : AskBounds(Topic::kEvents, recovering)) {
    StartLane(*lane, lane->progress.outcome_offset, false);
  }
}

void ShardWorker::StartLane(Lane& lane, Offset from, bool with_digest) {
  LogInfo("lane claimed", {{"projection", ToString(fold_.projection())},
                           PartitionField(lane.id.partition),
                           {"shard", place_.shard.value},
                           {"epoch", lane.token.epoch},
                           {"next_offset", lane.progress.next_offset.value}});
  const Status started = StartAt(*outcomes_, lane.outcomes_held, lane, from, with_digest);
  if (!started) ClaimAgain(lane.id.partition, started);
}

// Asks what `topic` holds of all that run at once, and returns those it was learned of; the others
// are claimed again.
std::vector<Lane*> ShardWorker::AskBounds(Topic topic, std::span<Lane* const> lanes) {
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
      ClaimAgain(partitions[i], std::unexpected(bounds[i].error()));
      continue;
    }
    (topic == Topic::kEvents ? asked[i]->events_held : asked[i]->outcomes_held) = *bounds[i];
    learned.push_back(asked[i]);
  }
  return learned;
}

// Those that fail together wait together.
void ShardWorker::ClaimAgain(Partition partition, Status why) {
  if (health_) start_retry_ms_ = retry_.Next();
  health_ = std::move(why);
  ClaimLater(partition, start_retry_ms_);
}

// Reads `lane` from `from`, or halts it when the log does not hold that. With a digest to compare
// the record before is read as well. Errors: the reader's; nothing was started.
Status ShardWorker::StartAt(LogReader& reader, const LogBounds& held, Lane& lane, Offset from,
                            bool with_digest) {
  const bool recovers = lane.phase == LanePhase::kRecovering;
  lane.halt =
      OutsideOf(held, from, recovers ? HaltReason::kOutcomesTruncated : HaltReason::kLogTruncated);
  if (lane.halt) return {};
  const bool compares = with_digest && lane.expected_digest != 0 && from > held.begin;
  if (!compares) lane.expected_digest = with_digest ? 0 : lane.expected_digest;
  return reader.Start(lane.id.partition, compares ? Offset(from.value - 1) : from);
}

void ShardWorker::FinishRecoveries() {
  FoldOutboxes();
  for (Lane* lane : lanes_.All()) {
    if (!lane->HasReadTopic() || lane->OutboxIsAhead() || lane->DraftMoved()) continue;
    if (const Status finished = FinishRecovery(*lane); !finished) {
      ClaimAgain(lane->id.partition, finished);
    }
  }
}

Status ShardWorker::FinishRecovery(Lane& lane) {
  outcomes_->Stop(lane.id.partition);
  lane.flight =
      &relay_.Open(lane.scan_offset, lane.draft.outcome_offset, lane.progress.event_offset);
  Offset from = lane.scan_offset;
  for (const OutboxRow& row : lane.outbox) {
    if (row.next <= from) continue;
    if (!relay_.Publish(*lane.flight, row, from)) {
      lane.halt = HaltReason::kOutcomesTruncated;
      return {};
    }
    from = row.next;
  }
  lane.outbox.clear();
  lane.phase = LanePhase::kDeciding;
  return StartAt(*events_, lane.events_held, lane, lane.progress.next_offset, true);
}

void ShardWorker::StopReading(Partition partition) {
  events_->Stop(partition);
  outcomes_->Stop(partition);
}

void ShardWorker::HaltLanes() {
  for (Lane* lane : lanes_.All()) {
    if (lane->halt && lane->phase != LanePhase::kStopped) Halt(*lane);
  }
}

void ShardWorker::Halt(Lane& lane) {
  StopReading(lane.id.partition);
  lane.phase = LanePhase::kStopped;
  lane.draft = lane.progress;
  const std::string reason(ToString(*lane.halt));
  LogError("lane halted", {{"projection", ToString(fold_.projection())},
                           PartitionField(lane.id.partition),
                           {"shard", place_.shard.value},
                           {"reason", reason},
                           {"next_offset", lane.progress.next_offset.value}});
  ports_.metrics.halted.Add(1);
  const Status stored = ports_.store->SetState(lane.id, lane.token, LaneState::kHalted, reason);
  // What could not be stored is found again, and halted again, by the next claim.
  if (!stored) ClaimLater(lane.id.partition, retry_.Next());
}

Status ShardWorker::OpenRelay() {
  Result<std::unique_ptr<LogAppender>> appender = ports_.log.NewAppender(
      Topic::kOutcomes,
      {.delivery_timeout_ms = 0, .linger_ms = kRelayLingerMs, .stop_on_failure = true});
  if (!appender) return Forward(appender);
  relay_.Use(std::move(*appender));
  return {};
}

// Whether outcomes can be published; an appender that has failed is replaced.
bool ShardWorker::RelayStands() {
  DropFailedFlights();
  if (relay_.stands()) return true;
  const Status opened = OpenRelay();
  if (!opened) health_ = opened;
  return opened.has_value();
}

void ShardWorker::DropFailedFlights() {
  if (!relay_.failed()) return;
  // What else is in flight fails with it, before the lanes are looked at.
  relay_.Stop();
  for (Lane* lane : lanes_.All()) {
    if (lane->flight == nullptr || !lane->flight->failed()) continue;
    if (lane->flight->refused()) {
      lane->halt = HaltReason::kOutcomeRefused;
      continue;
    }
    LogWarning("relay failed, lane starts again from its outbox",
               {PartitionField(lane->id.partition), {"shard", place_.shard.value}});
    ClaimLater(lane->id.partition, retry_.Next());
  }
}

// After any failure the tables say where things stand: what is still ours is claimed again, which
// reads its position; what is not was taken over, and its batch is dropped.
void ShardWorker::ResetLanes(const Error& why) {
  std::vector<LaneClaim> claims;
  for (const Lane* lane : lanes_.All()) {
    if (lane->phase != LanePhase::kStopped) claims.push_back({lane->id, lane->token});
  }
  if (claims.empty()) return;
  const std::int64_t wait_ms = retry_.Next();
  LogWarning("batch failed", {{"projection", ToString(fold_.projection())},
                              {"shard", place_.shard.value},
                              {"code", ToString(why.code)},
                              {"error", why.message},
                              {"retry_ms", wait_ms}});
  if (why.code != ErrorCode::kFenced) health_ = std::unexpected(why);
  const Result<std::vector<Standing>> standings = ports_.store->StandingsOf(claims, owner_);
  bool fenced = why.code == ErrorCode::kFenced;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Standing standing = standings ? (*standings)[i] : Standing::kHeld;
    fenced = fenced || standing != Standing::kHeld;
    ClaimLater(claims[i].lane.partition,
               standing == Standing::kTakenOver ? kFencedPauseMs : wait_ms);
  }
  if (fenced) ports_.metrics.fenced.Add(1);
}

}  // namespace fanfold::projector
