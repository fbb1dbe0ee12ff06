#include "projector/runtime/lane.h"

#include <algorithm>

namespace fanfold::projector {
namespace {

LanePhase FirstPhase(const TakenLane& taken) noexcept {
  if (taken.state != LaneState::kRunning) return LanePhase::kStopped;
  return taken.deciding ? LanePhase::kRecovering : LanePhase::kApplying;
}

}  // namespace

Lane::Lane(const TakenLane& taken)
    : id(taken.lane),
      fence(taken.fence),
      deciding(taken.deciding),
      phase(FirstPhase(taken)),
      progress(taken.progress),
      draft(taken.progress),
      folded_offset(taken.folded_offset),
      scan_offset(taken.progress.published_offset),
      outbox(taken.outbox) {}

Admission Lane::Halt(HaltReason reason) {
  if (!halt) halt = reason;
  return Admission::kHalted;
}

void Lane::TakeBack() noexcept {
  draft = progress;
  decided.clear();
  const bool reads_outcomes = phase == LanePhase::kRecovering || phase == LanePhase::kApplying;
  if (reads_outcomes) scan_offset = progress.published_offset;
}

Admission Lane::AdmitOffset(const LogRecord& record, Offset& expected) {
  if (halt) return Admission::kHalted;
  if (record.offset == expected) {
    expected = Next(expected);
    return Admission::kTake;
  }
  return record.offset > expected ? Halt(halt_reasons::kLogGap) : Admission::kDrop;
}

void Lane::TakeProof(Topic topic, const MarkFound& found) {
  const bool is_applied = topic == id.projection.stream().applied();
  RecordMark& mark = is_applied ? draft.applied_mark : draft.event_mark;
  switch (found.standing) {
    case MarkStanding::kSame:
      if (mark.digest == 0) mark = {MarkOf(draft, deciding, topic)->offset, found.digest};
      return;
    case MarkStanding::kOther:
      (void)Halt(halt_reasons::kLogMismatch);
      return;
    case MarkStanding::kCut:
      (void)Halt(deciding && is_applied ? halt_reasons::kOutcomesTruncated
                                        : halt_reasons::kLogTruncated);
      return;
    case MarkStanding::kGone:
      return;
  }
}

Admission Lane::AdmitEvent(const LogRecord& record) {
  const bool is_before = Next(record.offset) == draft.next_offset;
  if (is_before && draft.event_mark.digest == 0) {
    draft.event_mark = {record.offset, DigestOf(record)};
    return Admission::kDrop;
  }
  const Admission admission = AdmitOffset(record, draft.next_offset);
  if (admission == Admission::kTake) draft.event_offset = draft.next_offset;
  if (admission == Admission::kDrop) ++repeats;
  return admission;
}

Admission Lane::AdmitOutcomeRecord(const LogRecord& record) {
  const Admission admission = AdmitOffset(record, draft.outcome_offset);
  if (admission == Admission::kTake && !deciding) {
    draft.next_offset = draft.outcome_offset;
  }
  if (admission == Admission::kDrop) ++repeats;
  return admission;
}

Admission Lane::AdmitOutcome(Position position) {
  if (position.offset < scan_offset) {
    ++repeats;
    return Admission::kDrop;
  }
  if (position.offset > scan_offset) {
    // The record is not passed: the lane goes on here when an operator has mended the topic.
    draft.outcome_offset = Offset(draft.outcome_offset.value - 1);
    if (!deciding) draft.next_offset = draft.outcome_offset;
    if (deciding) return Halt(halt_reasons::kOutcomesTruncated);
    return Halt(after_unreadable ? halt_reasons::kOutcomeUnreadable : halt_reasons::kOutcomeGap);
  }
  after_unreadable = false;
  scan_offset = Next(scan_offset);
  draft.published_offset = scan_offset;
  if (position.offset < draft.event_offset) return Admission::kDrop;
  MoveRows(scan_offset);
  return Admission::kTake;
}

Admission Lane::AdmitDecided(Position position) {
  if (halt) return Admission::kHalted;
  if (position.offset < draft.event_offset) return Admission::kDrop;
  if (position.offset > draft.event_offset) return Halt(halt_reasons::kOutcomesTruncated);
  MoveRows(Next(position.offset));
  return Admission::kTake;
}

bool Lane::OutboxIsAhead() const noexcept {
  return std::ranges::any_of(
      outbox, [this](const OutboxRow& row) { return row.next > draft.event_offset; });
}

// By what was recorded.
void Lane::MoveRows(Offset to) noexcept {
  draft.event_offset = to;
  if (deciding) draft.next_offset = to;
}

Lane& LaneSet::Add(const TakenLane& taken) {
  std::unique_ptr<Lane>& lane = lanes_[taken.lane.partition];
  lane = std::make_unique<Lane>(taken);
  return *lane;
}

void LaneSet::Remove(Partition partition) { lanes_.erase(partition); }

Lane* LaneSet::Find(Partition partition) noexcept {
  const auto found = lanes_.find(partition);
  return found == lanes_.end() ? nullptr : found->second.get();
}

std::vector<Lane*> LaneSet::All() {
  std::vector<Lane*> all;
  all.reserve(lanes_.size());
  for (auto& [partition, lane] : lanes_) all.push_back(lane.get());
  return all;
}

bool LaneSet::Any(LanePhase phase) const noexcept {
  return std::ranges::any_of(lanes_,
                             [&](const auto& entry) { return entry.second->phase == phase; });
}

bool LaneSet::AnyRuns() const noexcept {
  return std::ranges::any_of(
      lanes_, [](const auto& entry) { return entry.second->phase != LanePhase::kStopped; });
}

}  // namespace fanfold::projector
