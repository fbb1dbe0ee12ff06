// A lane in the hands of its owner: what may come next, how far the batch in work will carry it,
// and why it has stopped. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/lane.h"
#include "common/ports/lane_store.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"

namespace fanfold::projector {

class RelayFlight;

// Why a lane goes no further until an operator says so. The names are stored with the lane.
enum class HaltReason : std::uint8_t {
  kRetentionGap,       // the log begins above the lane's position
  kLogTruncated,       // the log ends below the lane's position: truncated, or created again
  kLogMismatch,        // the record before the position is not the one that was folded
  kLogGap,             // offsets of a partition are not dense
  kOutcomesTruncated,  // neither topic nor outbox has an outcome that was decided
  kOutcomeGap,         // an outcome of a later event came first
  kOutcomeUnreadable,  // the same, after an outcome that could not be read
  kPublishedAhead,     // more was noted as published than decided: found by migration 0006
  kBatchRefused,       // the database will not take what the record at the position leads to
  kOutcomeRefused,     // the log will not take an outcome
  kOtherGenerations,   // the catalog reads a newer generation than the shard has: restored
};
[[nodiscard]] std::string_view ToString(HaltReason reason) noexcept;

enum class LanePhase : std::uint8_t {
  kComparing,   // decides, and looks first whether the log is the one that it has folded
  kRecovering,  // decides, and still takes what outcomes_held has
  kDeciding,    // reads events
  kYielding,    // decides no more: publishes what it has decided, then applies
  kApplying,    // reads outcomes
  kStopped,     // paused or halted: reads nothing
};

// Over key and value: tells one log from another. Never 0, which stands for "no record yet".
[[nodiscard]] std::uint64_t DigestOf(const LogRecord& record) noexcept;

// What to do with a record.
enum class Admission : std::uint8_t {
  kTake,
  kDrop,    // a repeat, or the record before the position, read to compare its digest
  kHalted,  // the lane's halt says why; this record and all after it are left
};

struct Lane {
  explicit Lane(const TakenLane& taken);

  LaneId id;
  Fence fence;
  bool deciding;
  LanePhase phase;
  LaneProgress progress;          // as committed
  LaneProgress draft;             // as the batch in work will leave it
  Offset folded_offset;           // the furthest that its rows have ever come, when taken
  Offset scan_offset;             // the event whose outcome is expected next in the outcome topic
  LogBounds outcomes_held;        // what the topic that is applied held when it was taken
  LogBounds events_held;          // what the event topic held, asked after it; where it decides
  std::vector<OutboxRow> outbox;  // as taken; what of it is unpublished is published on recovery
  std::uint64_t expected_digest = 0;  // of the record before the position; 0: nothing to compare
  std::int64_t compared_by_ms = 0;    // by the steady clock: it goes on without that record then
  bool after_unreadable = false;
  std::uint64_t repeats = 0;
  std::optional<HaltReason> halt;
  RelayFlight* flight = nullptr;   // of a deciding lane
  std::vector<OutboxRow> decided;  // what the batch in work adds to the outbox

  // Of a comparing lane: is it the record before the position, the one that was folded? Another
  // halts the lane; where that record is gone there is nothing to compare.
  void Compare(const LogRecord& record);
  // Takes the record of the event topic that stands at draft.next_offset.
  [[nodiscard]] Admission AdmitEvent(const LogRecord& record);
  // Takes the record of the outcome topic that stands at draft.outcome_offset.
  [[nodiscard]] Admission AdmitOutcomeRecord(const LogRecord& record);
  // Takes the outcome read from that record if it is the one expected next. A repeat, or one that
  // the rows hold, is dropped; a later one halts the lane.
  [[nodiscard]] Admission AdmitOutcome(Position position);
  // Takes an outcome that stands in the outbox and not in the topic, if the rows need it next. One
  // that they hold is dropped; a later one halts the lane.
  [[nodiscard]] Admission AdmitDecided(Position position);
  // The record cannot be read. A gap behind it halts a lane that applies as kOutcomeUnreadable.
  void SkipUnreadable() noexcept { after_unreadable = true; }

  // Nothing of the batch in work was written: what was taken may be taken again.
  void TakeBack() noexcept;
  [[nodiscard]] bool DraftMoved() const noexcept { return draft != progress; }
  // Of a recovering lane: it has seen every outcome that the topic had when it was taken.
  [[nodiscard]] bool HasReadTopic() const noexcept {
    return phase == LanePhase::kRecovering && !halt && draft.outcome_offset >= outcomes_held.end;
  }
  // The outbox has outcomes that the rows do not hold, as after a rewind.
  [[nodiscard]] bool OutboxIsAhead() const noexcept;

 private:
  void MoveRows(Offset to) noexcept;
  Admission AdmitOffset(const LogRecord& record, Offset& expected);
  Admission Halt(HaltReason reason);
};

// The lanes of one worker, at most one a partition.
class LaneSet {
 public:
  Lane& Add(const TakenLane& taken);
  void Remove(Partition partition);
  [[nodiscard]] Lane* Find(Partition partition) noexcept;
  // Every lane, by partition; stays valid while none is added or removed.
  [[nodiscard]] std::vector<Lane*> All();
  [[nodiscard]] bool Any(LanePhase phase) const noexcept;
  // Is any lane not stopped?
  [[nodiscard]] bool AnyRuns() const noexcept;

 private:
  std::map<Partition, std::unique_ptr<Lane>> lanes_;
};

}  // namespace fanfold::projector
