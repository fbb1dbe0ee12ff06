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
#include "common/ports/halt_reason.h"
#include "common/ports/lane.h"
#include "common/ports/lane_store.h"
#include "common/ports/record_marks.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"

namespace fanfold::projector {

class RelayFlight;

enum class LanePhase : std::uint8_t {
  kRecovering,  // decides, and still takes what outcomes_held has
  kDeciding,    // reads events
  kYielding,    // decides no more: publishes what it has decided, then applies
  kApplying,    // reads outcomes
  kStopped,     // paused or halted: reads nothing
};

// What to do with a record.
enum class Admission : std::uint8_t {
  kTake,
  kDrop,    // a repeat
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
  bool after_unreadable = false;
  std::uint64_t repeats = 0;
  std::optional<HaltReason> halt;
  RelayFlight* flight = nullptr;   // of a deciding lane
  std::vector<OutboxRow> decided;  // what the batch in work adds to the outbox

  // Compares the lane's last known record of this topic with the log. Another record, or none any
  // more, halts the lane. A record that was deleted proves nothing: the lane goes on. A lane that
  // knew no record knows this one from here on.
  void TakeProof(Topic topic, const MarkFound& found);
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
  // In a recovering lane: it has seen every outcome that the topic had when it was taken.
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
