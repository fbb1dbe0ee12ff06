// What a worker does when something failed: lanes halt, or are taken again, and the relay is
// replaced.
#include <algorithm>
#include <string>
#include <utility>

#include "common/base/logging.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {
namespace {

LogField PartitionField(Partition partition) { return {"partition", partition.value}; }

// An operator's order is no failure: the lanes are taken again, and do as their rows say.
bool OnlyOrdersFenced(const Error& why, const Result<std::vector<FenceState>>& states) {
  return why.code == ErrorCode::kFenced && states &&
         std::ranges::count(*states, FenceState::kBumped) > 0 &&
         std::ranges::count(*states, FenceState::kTakenOver) == 0;
}

}  // namespace

void ShardWorker::HaltLanes() {
  for (Lane* lane : lanes_.All()) {
    if (to_halt_ && !lane->halt) lane->halt = halt_reasons::kOtherGenerations;
    if (lane->halt && lane->phase != LanePhase::kStopped) Halt(*lane);
  }
}

void ShardWorker::Halt(Lane& lane) {
  StopReading(lane.id.partition);
  lane.phase = LanePhase::kStopped;
  lane.draft = lane.progress;
  const std::string reason(lane.halt->name());
  LogError("lane halted", {{"projection", ToString(fold_.projection())},
                           PartitionField(lane.id.partition),
                           {"shard", place_.shard.value},
                           {"reason", reason},
                           {"next_offset", lane.progress.next_offset.value}});
  ports_.metrics.halted.Add(1);
  const Status stored = ports_.store->SetState(lane.id, lane.fence, LaneState::kHalted, reason);
  // What could not be stored is found again, and halted again, when it is taken next.
  if (!stored) TakeLater(lane.id.partition, retry_.Next());
}

Status ShardWorker::OpenRelay() {
  if (!fold_.projection().decides()) return {};
  Result<std::unique_ptr<LogAppender>> appender = ports_.log.NewAppender(
      fold_.projection().stream().applied(),
      {.delivery_timeout_ms = 0, .linger_ms = kRelayLingerMs, .stop_on_failure = true});
  if (!appender) return Forward(appender);
  relay_.Use(std::move(*appender));
  return {};
}

// Whether outcomes can be published, where any are; an appender that has failed is replaced.
bool ShardWorker::RelayStands() {
  DropFailedFlights();
  if (relay_.stands() || !fold_.projection().decides()) return true;
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
      lane->halt = halt_reasons::kOutcomeRefused;
      continue;
    }
    LogWarning("relay failed, lane starts again from its outbox",
               {PartitionField(lane->id.partition), {"shard", place_.shard.value}});
    TakeLater(lane->id.partition, retry_.Next());
  }
}

// After any failure the tables say where things stand: what is still ours is taken again, which
// reads its position; what is not was taken over, and its batch is dropped.
void ShardWorker::ResetLanes(const Error& why) {
  std::vector<LaneFence> held;
  for (const Lane* lane : lanes_.All()) {
    if (lane->phase != LanePhase::kStopped) held.push_back({lane->id, lane->fence});
  }
  if (held.empty()) return;
  const std::int64_t wait_ms = retry_.Next();
  const Result<std::vector<FenceState>> states = ports_.store->FenceStatesOf(held, owner_);
  if (OnlyOrdersFenced(why, states)) {
    LogInfo("lanes changed by an operator", {{"projection", ToString(fold_.projection())},
                                             {"shard", place_.shard.value},
                                             {"retry_ms", wait_ms}});
  } else {
    LogWarning("batch failed", {{"projection", ToString(fold_.projection())},
                                {"shard", place_.shard.value},
                                {"code", ToString(why.code)},
                                {"error", why.message},
                                {"retry_ms", wait_ms}});
  }
  if (why.code != ErrorCode::kFenced) health_ = std::unexpected(why);
  bool fenced = why.code == ErrorCode::kFenced;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const FenceState state = states ? (*states)[i] : FenceState::kHeld;
    fenced = fenced || state != FenceState::kHeld;
    TakeLater(held[i].lane.partition, state == FenceState::kTakenOver ? kFencedPauseMs : wait_ms);
  }
  if (fenced) ports_.metrics.fenced.Add(1);
}

}  // namespace fanfold::projector
