// The projector's side of the tables, one shard. Adapters: MySQL; each passes
// tests/contract/projection_store_contract.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"
#include "common/relation/edge.h"
#include "common/relation/ids.h"

namespace fanfold {

// A row of a table: `user` is whose list it is in, `other` the one listed.
struct EdgeKey {
  UserId user;
  UserId other;
  friend auto operator<=>(const EdgeKey&, const EdgeKey&) noexcept = default;
};

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
  friend bool operator==(const FoldedGeneration&, const FoldedGeneration&) = default;
};

// A lane's step. `from` is compared, `to` is written; the furthest event offset is kept beside it.
struct LaneMove {
  LaneId lane;
  Fence fence;
  bool deciding = kApplying;
  Offset from_next_offset;
  LaneProgress to;
};

// A row as it stands, or is to stand.
struct EdgeRow {
  EdgeKey key;
  Edge edge;
};

struct CountWrite {
  UserId user;
  int delta = 0;
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

// One transaction: one shard's, one projection's, one generation's; one or more lanes.
struct StoreBatch {
  Projection projection;
  Generation generation{1};
  std::vector<LaneMove> moves;     // one a lane; next_offset or published_offset moves in each
  std::vector<EdgeRow> edges;      // sorted by key, unique; of a row that is there the newer counts
  bool edges_are_newest = false;   // no row that is there is newer than the batch's: none is asked
  std::vector<CountWrite> counts;  // sorted by user, unique, delta ≠ 0
  std::vector<ParkedRow> parked;
  std::vector<OutboxRow> outbox;  // rows to add, of lanes moved here
  // Outbox rows whose `next` is at or below the published_offset a move writes are deleted with it.
};

// What the rows say now, in the order asked.
struct LoadedRows {
  std::vector<Edge> edges;        // version 0 where there is no row
  std::vector<EdgeCount> counts;  // 0 where there is no row
};

// Thread-compatible: one instance is one connection. Calls block for at most statement_timeout_ms
// of the adapter, reconnecting included. No method throws.
class ProjectionStore {
 public:
  static constexpr std::size_t kBatchEdgesMax = 16384;

  virtual ~ProjectionStore() = default;

  // Takes lanes over, all or none: bumps each owner epoch, draws a fence, and reads progress and
  // outbox in the same transaction. Waits for a predecessor's open transaction on the lane,
  // bounded. A lane without a row gets one: at offset 0, running, with `new_decide`. Where two
  // generations' lanes of a partition decide, both are halted (`two_deciders`). Errors:
  // kUnavailable, kConflict, kUnknown: take it again. kRefused: tables missing, or a lane without a
  // row is of a generation that is not folded here (any more).
  [[nodiscard]] virtual Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes,
                                                                  bool new_decide,
                                                                  const std::string& owner) = 0;

  // The rows of these keys and counts of these users; each sorted and unique, at most
  // kBatchEdgesMax. Errors: kUnavailable, kConflict (nothing happened).
  [[nodiscard]] virtual Result<LoadedRows> Load(Projection projection, Generation generation,
                                                std::span<const EdgeKey> edges,
                                                std::span<const UserId> users) = 0;

  // Every row of these users, sorted and unique, at most kBatchEdgesMax; by key. Nothing when there
  // are more than rows_max. Errors: kUnavailable, kConflict.
  [[nodiscard]] virtual Result<std::optional<std::vector<EdgeRow>>> LoadLists(
      Projection projection, Generation generation, std::span<const UserId> users,
      std::size_t rows_max) = 0;

  // Applies the batch whole, or nothing. The compare-and-set of its lanes is the first statement.
  // Requires: rows were loaded at `from`; to.next_offset ≥ from.
  // Errors: kFenced, a lane is not at (fence, from, role, running) any more: drop the batch, take
  // it again; kUnknown, the connection was lost during COMMIT: take it, which reads the position;
  // kConflict (deadlock, lock wait) and kUnavailable: nothing was applied; kInvalidArgument: nor
  // will it ever be, the database does not take such a batch.
  [[nodiscard]] virtual Status Commit(const StoreBatch& batch) = 0;

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
