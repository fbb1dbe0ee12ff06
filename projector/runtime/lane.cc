#include "projector/runtime/lane.h"

#include <algorithm>

#include "common/base/fnv1a.h"

namespace fanfold::projector {
namespace {

LanePhase FirstPhase(const TakenLane& taken) noexcept {
  if (taken.state != LaneState::kRunning) return LanePhase::kStopped;
  if (!taken.deciding) return LanePhase::kApplying;
  return taken.progress.last_digest != 0 ? LanePhase::kComparing : LanePhase::kRecovering;
}

}  // namespace

std::string_view ToString(HaltReason reason) noexcept {
  switch (reason) {
    case HaltReason::kRetentionGap:
      return "retention_gap";
    case HaltReason::kLogTruncated:
      return "log_truncated";
    case HaltReason::kLogMismatch:
      return "log_mismatch";
    case HaltReason::kLogGap:
      return "log_gap";
    case HaltReason::kOutcomesTruncated:
      return "outcomes_truncated";
    case HaltReason::kOutcomeGap:
      return "outcome_gap";
    case HaltReason::kOutcomeUnreadable:
      return "outcome_unreadable";
    case HaltReason::kPublishedAhead:
      return "published_ahead";
    case HaltReason::kBatchRefused:
      return "batch_refused";
    case HaltReason::kOutcomeRefused:
      return "outcome_refused";
    case HaltReason::kOtherGenerations:
      return "other_generations";
  }
  return "halted";
}

std::uint64_t DigestOf(const LogRecord& record) noexcept {
  std::uint64_t hash = Fnv1a(record.key.value_or(std::string_view()));
  hash = Fnv1a(std::string_view("\0", 1), hash);
  hash = Fnv1a(record.value.value_or(std::string_view()), hash);
  return hash == 0 ? 1 : hash;
}

Lane::Lane(const TakenLane& taken)
    : id(taken.lane),
      fence(taken.fence),
      deciding(taken.deciding),
      phase(FirstPhase(taken)),
      progress(taken.progress),
      draft(taken.progress),
      folded_offset(taken.folded_offset),
      scan_offset(taken.progress.published_offset),
      outbox(taken.outbox),
      expected_digest(taken.progress.last_digest) {}

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
  return record.offset > expected ? Halt(HaltReason::kLogGap) : Admission::kDrop;
}

void Lane::Compare(const LogRecord& record) {
  const bool is_compared = expected_digest == 0;
  if (halt || is_compared || Next(record.offset) < progress.next_offset) return;
  const bool is_before = Next(record.offset) == progress.next_offset;
  if (is_before && DigestOf(record) != expected_digest) (void)Halt(HaltReason::kLogMismatch);
  expected_digest = 0;
}

Admission Lane::AdmitEvent(const LogRecord& record) {
  const bool is_before = Next(record.offset) == draft.next_offset;
  if (is_before && expected_digest != 0 && !halt) {
    const bool same = DigestOf(record) == expected_digest;
    expected_digest = 0;
    return same ? Admission::kDrop : Halt(HaltReason::kLogMismatch);
  }
  const Admission admission = AdmitOffset(record, draft.next_offset);
  if (admission == Admission::kTake) draft.event_offset = draft.next_offset;
  if (admission == Admission::kDrop) ++repeats;
  return admission;
}

Admission Lane::AdmitOutcomeRecord(const LogRecord& record) {
  const bool is_before = Next(record.offset) == draft.outcome_offset;
  if (phase == LanePhase::kApplying && is_before && expected_digest != 0 && !halt) {
    const bool same = DigestOf(record) == expected_digest;
    expected_digest = 0;
    return same ? Admission::kDrop : Halt(HaltReason::kLogMismatch);
  }
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
    if (deciding) return Halt(HaltReason::kOutcomesTruncated);
    return Halt(after_unreadable ? HaltReason::kOutcomeUnreadable : HaltReason::kOutcomeGap);
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
  if (position.offset > draft.event_offset) return Halt(HaltReason::kOutcomesTruncated);
  MoveRows(Next(position.offset));
  return Admission::kTake;
}

bool Lane::OutboxIsAhead() const noexcept {
  return std::ranges::any_of(
      outbox, [this](const OutboxRow& row) { return row.next > draft.event_offset; });
}

// By what was recorded. Which event record stands before is known to those alone who read it.
void Lane::MoveRows(Offset to) noexcept {
  draft.event_offset = to;
  if (!deciding) return;
  draft.next_offset = to;
  draft.last_digest = 0;
  expected_digest = 0;
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
