// The lanes of one shard, whatever their rows: what a batch does to rows passes through as one
// value, which the projection's own adapter writes in the same transaction. Adapters: MySQL,
// SQLite; each passes tests/contract/lane_store_contract.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"
#include "common/stream/ids.h"
#include "common/stream/parking.h"

namespace fanfold {

// The outcomes first ≤ event offset < next of one partition, opaque bytes to the store.
struct OutboxRow {
  Partition partition;
  Generation generation{1};
  Offset first;
  Offset next;
  std::string outcomes;
};
// A row that is longer takes no further outcome.
inline constexpr std::size_t kOutboxRowBytesMax = std::size_t{1} << 20;

struct TakenLane {
  LaneId lane;
  Fence fence;
  bool deciding = kApplying;
  LaneState state = LaneState::kRunning;
  std::string state_reason;
  LaneProgress progress;
  std::vector<OutboxRow> outbox;  // by first
  Offset folded_offset;           // as far as its rows have ever come: a rewind leaves it
};

struct LaneFence {
  LaneId lane;
  Fence fence;
  // Where its owner left it; nothing when that is not known.
  std::optional<Offset> next_offset = std::nullopt;
};

enum class FenceState : std::uint8_t {
  kHeld,       // the lane's row carries its epoch and nonce, and stands where its owner left it
  kBumped,     // it does not, but names the same owner: an operator came between, or the row is an
               // older one, restored from a backup. Take it again
  kTakenOver,  // somebody else took the lane, or it has no row
};

// A generation whose lanes a shard's projector runs.
struct FoldedGeneration {
  Generation generation{1};
  bool to_decide = false;  // what its lanes are ordered to do
  SlotMapId slot_map = kFirstSlotMap;
  friend bool operator==(const FoldedGeneration&, const FoldedGeneration&) = default;
};

// Are a shard's generations of before what the catalog reads, as after a restore from before a
// promotion? Where one is later it is the catalog that is older. Pure.
[[nodiscard]] inline bool IsFromBefore(std::span<const FoldedGeneration> folded,
                                       Generation read) noexcept {
  return std::ranges::all_of(folded,
                             [read](const FoldedGeneration& one) { return one.generation < read; });
}

// A lane's step. `from` is compared, `to` is written; the furthest event offset is kept beside it.
struct LaneMove {
  LaneId lane;
  Fence fence;
  bool deciding = kApplying;
  Offset from_next_offset;
  LaneProgress to;
};

struct ParkedRow {
  LaneId lane;
  Offset offset;  // of the record in the topic the lane reads
  ParkReason reason = ParkReason::kMalformed;
  std::string detail;
  std::string event_id;
  std::string key;  // the record's key, its first kParkedKeyBytesMax bytes
  std::int64_t appended_ms = 0;
};
inline constexpr std::size_t kParkedKeyBytesMax = 255;

// A batch's writes into the tables of its projection: known to the fold that made them and to the
// adapter that writes them (edge_store.h).
class RowWrites {
 public:
  virtual ~RowWrites() = default;
  [[nodiscard]] virtual std::size_t rows() const noexcept = 0;
};

// A fold's questions to its projection's tables: each kind of rows has its own.
class RowStore {
 public:
  virtual ~RowStore() = default;
};

// One transaction: one shard's, one projection's, one generation's; one or more lanes.
struct LaneBatch {
  Projection projection;
  Generation generation{1};
  std::vector<LaneMove> moves;  // one a lane; something of its progress moves in each
  std::vector<ParkedRow> parked;
  std::vector<OutboxRow> outbox;    // rows to add, of lanes moved here
  const RowWrites* rows = nullptr;  // of this projection; outlives the call
  // Outbox rows whose `next` is at or below the published_offset a move writes are deleted with it.
};

// Thread-compatible: one instance is one connection. Calls block for at most statement_timeout_ms
// of the adapter, reconnecting included. No method throws.
class LaneStore {
 public:
  virtual ~LaneStore() = default;

  // Takes lanes over, all or none: bumps each owner epoch, draws a fence, and reads progress and
  // outbox in the same transaction. Waits for a predecessor's open transaction on the lane,
  // bounded. A lane without a row gets one: at offset 0, running, deciding as `new_decide` says
  // unless another generation's lane of the partition does. Where two
  // generations' lanes of a partition decide, both are halted (`two_deciders`). Errors:
  // kUnavailable, kConflict, kUnknown: take it again. kRefused: tables missing, or a lane without a
  // row is of a generation that is not folded here (any more).
  [[nodiscard]] virtual Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes,
                                                                  bool new_decide,
                                                                  const std::string& owner) = 0;

  // The rows of a projection's generation, asked through this connection, which outlives them.
  [[nodiscard]] virtual std::unique_ptr<RowStore> OpenRows(Projection projection,
                                                           Generation generation) = 0;

  // Applies the batch whole, or nothing. The compare-and-set of its lanes is the first statement.
  // Requires: rows were loaded at `from`; to.next_offset ≥ from.
  // Errors: kFenced, a lane is not at (fence, from, role, running) any more: drop the batch, take
  // it again; kUnknown, the connection was lost during COMMIT: take it, which reads the position;
  // kConflict (deadlock, lock wait) and kUnavailable: nothing was applied; kInvalidArgument: nor
  // will it ever be, the database does not take such a batch.
  [[nodiscard]] virtual Status Commit(const LaneBatch& batch) = 0;

  // How each of these fences of `owner` stands, in their order. A plain read that waits for no
  // lock. Errors: kUnavailable.
  [[nodiscard]] virtual Result<std::vector<FenceState>> FenceStatesOf(
      std::span<const LaneFence> held, const std::string& owner) = 0;

  // Halts or pauses a lane under its fence, with the reason. Errors as Commit's.
  [[nodiscard]] virtual Status SetState(const LaneId& lane, const Fence& fence, LaneState state,
                                        const std::string& reason) = 0;

  // The generations of this projection that are folded on this shard, lowest first.
  [[nodiscard]] virtual Result<std::vector<FoldedGeneration>> Generations(
      Projection projection) = 0;

  // The deciding lane stops deciding: it applies from here on, its fence is lost. Errors: kFenced;
  // kRefused, not all that it decided is published; as Commit's.
  [[nodiscard]] virtual Status StopDeciding(const LaneId& lane, const Fence& fence) = 0;

  // The applying lane begins to decide, its fence is lost; false when another one of the partition
  // has it still, or holds events that this one does not. Errors: kFenced; as Commit's.
  [[nodiscard]] virtual Result<bool> StartDeciding(const LaneId& lane, const Fence& fence) = 0;

  // Forgets the owner's name of lanes given up in order; fenced ones are skipped. Best effort.
  virtual void Release(std::span<const LaneFence> lanes) = 0;
};

}  // namespace fanfold
