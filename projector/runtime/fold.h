// A projection, as the runtime uses it. A batch at a time it takes records, brings the rows that
// they need, moves these, and hands over the rows to be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/stream/ids.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"
#include "common/stream/slot.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

struct Lane;

// A batch has so many records at the most, and their keys and values so many bytes, unless it is
// one record; more are folded apart.
inline constexpr std::size_t kBatchRecordsMax = 16'384;
inline constexpr std::size_t kBatchBytesMax = 8'000'000;

// The part of the deployment that a worker folds.
struct WorkPlace {
  Placement placement;
  Shard shard;
  Generation generation{1};
};

// A record of the event topic that its lane has taken.
struct TakenEvent {
  Lane* lane = nullptr;
  LogRecord record;
};

// A record of the event topic that cannot be read as an event.
struct UnreadableEvent {
  std::size_t at = 0;  // its place among those read
  Unreadable why;
};

// The text of an applied record: an outcome, or an event of a stream without outcomes. The view is
// the batch's.
struct Decided {
  Position event;
  std::optional<ParkReason> parked;
  std::string_view event_id;
};

// How many outcomes of a batch are of one kind and reason.
struct OutcomeCount {
  std::string_view kind;
  std::string_view reason;  // empty where nothing was refused
  std::int64_t count = 0;
};

// Takes the outcomes of a batch of events: one for each, in their order.
class OutcomeSink {
 public:
  OutcomeSink(std::span<const TakenEvent> events, Generation generation) noexcept
      : events_(events), generation_(generation) {}

  // The value of the record that says what became of the next event, and what that is, in words
  // that live as long as the program.
  void Add(std::string_view value, std::string_view kind, std::string_view reason);
  [[nodiscard]] const std::vector<OutcomeCount>& counts() const noexcept { return counts_; }

 private:
  std::span<const TakenEvent> events_;
  Generation generation_;
  std::size_t next_ = 0;
  std::vector<OutcomeCount> counts_;
};

// One batch while it is folded: read, filled, decided or applied, written, committed, in this
// order. Thread-compatible; only Fill blocks, as the store does.
class FoldBatch {
 public:
  virtual ~FoldBatch() = default;

  // Reads events, whose views outlive the batch. Returns those that cannot be read, by place.
  [[nodiscard]] virtual std::vector<UnreadableEvent> ReadEvents(
      std::span<const TakenEvent> events) = 0;
  // Reads what is applied: what each record says, or why it cannot be read.
  [[nodiscard]] virtual std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) = 0;
  // `places`: the records read that are applied, in order.
  virtual void Keep(std::span<const std::size_t> places) = 0;

  [[nodiscard]] virtual bool NeedsRows() const noexcept = 0;
  // Brings the rows. Errors: the store's; nothing was brought.
  [[nodiscard]] virtual Status Fill() = 0;

  // Decides every event in order, unreadable ones parked. Requires: a projection that decides.
  virtual void Decide(OutcomeSink& outcomes) = 0;
  // Applies what was kept, in order.
  virtual void Apply() = 0;

  // The changes; the batch owns them.
  [[nodiscard]] virtual const RowWrites& Writes() = 0;
  // The writes are in the tables.
  virtual void Committed() = 0;
};

// A fold at work on one shard, with what its owner remembers of the rows. Thread-compatible.
class OpenFold {
 public:
  virtual ~OpenFold() = default;

  // The batch lives no longer than this.
  [[nodiscard]] virtual std::unique_ptr<FoldBatch> NewBatch() = 0;
  // A lane has been taken: others may have written its rows before.
  virtual void Forget() = 0;
  // How many accounts are remembered as deleted once.
  [[nodiscard]] virtual std::size_t deleted_accounts() const noexcept { return 0; }
};

// The rows of one shard that a load has gathered, each once, in the order of the table's key.
class RowParts {
 public:
  virtual ~RowParts() = default;

  // The next rows, as many as a transaction takes; empty at the end. Valid until the next call.
  // `newest`: no row in the table is newer.
  [[nodiscard]] virtual const RowWrites& Next(bool newest) = 0;
  [[nodiscard]] virtual bool AtEnd() const noexcept = 0;
};

// Gathers the rows that applied records leave, for a generation that nobody folds yet. A record
// says its row whole, so the last one of a row is enough. Thread-compatible.
class FoldLoad {
 public:
  virtual ~FoldLoad() = default;

  // As FoldBatch::ReadDecided.
  [[nodiscard]] virtual std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) = 0;
  // Gathers the rows of these records of the last ReadDecided, in order.
  virtual void Keep(std::span<const std::size_t> places) = 0;
  // About how much memory the gathered rows take, copies included.
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
  // Nothing is gathered any more until Clear.
  virtual void Seal() = 0;
  // This shard's gathered rows, valid until Clear. Requires: Seal.
  [[nodiscard]] virtual std::unique_ptr<RowParts> PartsOf(Shard shard) const = 0;
  virtual void Clear() = 0;
};

// Immutable; shared by all workers of a process.
class Fold {
 public:
  virtual ~Fold() = default;

  [[nodiscard]] virtual Projection projection() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<FoldLoad> NewLoad(const Placement& placement) const = 0;
  // `store` and `clock` outlive it.
  [[nodiscard]] virtual std::unique_ptr<OpenFold> Open(LaneStore& store, const WorkPlace& place,
                                                       const Clock& clock) const = 0;
  // A task that has started; null where nothing is to be done beside the lanes.
  [[nodiscard]] virtual std::unique_ptr<Task> NewTask(const TaskPorts& /*ports*/) const {
    return nullptr;
  }
};

}  // namespace fanfold::projector
