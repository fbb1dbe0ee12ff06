#include "tests/simulation/faulty_store.h"

#include "common/ports/post_reader.h"
#include "common/ports/profile_erasure.h"

namespace fanfold::simulation {
namespace {

std::unexpected<Error> TablesAway() { return Fail(ErrorCode::kUnavailable, "the tables are away"); }
std::unexpected<Error> NotKnown() { return Fail(ErrorCode::kUnknown, "the connection was lost"); }

class FaultyEdges final : public PassingEdges {
 public:
  FaultyEdges(std::unique_ptr<EdgeStore> rows, Life& life, Nemesis& nemesis)
      : PassingEdges(std::move(rows)), life_(life), nemesis_(nemesis) {}

  Result<LoadedRows> Load(std::span<const EdgeKey> edges, std::span<const UserId> users) override {
    life_.Enter(PortCall::kLoad);
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
    Result<LoadedRows> rows = rows_->Load(edges, users);
    life_.Leave(PortCall::kLoad);
    return rows;
  }
  Result<std::optional<std::vector<EdgeRow>>> LoadLists(std::span<const UserId> users,
                                                        std::size_t rows_max) override {
    life_.Enter(PortCall::kLoad);
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
    auto rows = rows_->LoadLists(users, rows_max);
    life_.Leave(PortCall::kLoad);
    return rows;
  }

 private:
  Life& life_;
  Nemesis& nemesis_;
};

class FaultyPostRows final : public PostStore {
 public:
  FaultyPostRows(std::unique_ptr<PostStore> rows, Life& life, Nemesis& nemesis)
      : rows_(std::move(rows)), life_(life), nemesis_(nemesis) {}

  Result<std::vector<PostRow>> Load(std::span<const RowKey> keys) override {
    life_.Enter(PortCall::kLoad);
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
    auto rows = rows_->Load(keys);
    life_.Leave(PortCall::kLoad);
    return rows;
  }

 private:
  std::unique_ptr<PostStore> rows_;
  Life& life_;
  Nemesis& nemesis_;
};

class FaultyErasures final : public ErasureStore {
 public:
  FaultyErasures(std::unique_ptr<ErasureStore> rows, Life& life, Nemesis& nemesis)
      : rows_(std::move(rows)), life_(life), nemesis_(nemesis) {}

  Status Move(const Erasure& from, const Erasure& to) override {
    life_.Enter(PortCall::kCommit);
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
    if (nemesis_.Strikes(Fault::kCommitUnknownLost)) return NotKnown();
    Status moved = rows_->Move(from, to);
    life_.Leave(PortCall::kCommit);
    if (moved && nemesis_.Strikes(Fault::kCommitUnknownApplied)) return NotKnown();
    return moved;
  }
  Result<std::vector<UserId>> Deleted(bool open, std::size_t limit) override {
    return Asked([&] { return rows_->Deleted(open, limit); });
  }
  Result<std::vector<Erasure>> Ended(std::span<const UserId> users) override {
    return Asked([&] { return rows_->Ended(users); });
  }

 private:
  template <class Ask>
  auto Asked(const Ask& ask) -> decltype(ask()) {
    life_.Enter(PortCall::kLoad);
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
    auto told = ask();
    life_.Leave(PortCall::kLoad);
    return told;
  }

  std::unique_ptr<ErasureStore> rows_;
  Life& life_;
  Nemesis& nemesis_;
};

}  // namespace

Result<std::vector<TakenLane>> FaultyStore::TakeFences(std::span<const LaneId> lanes,
                                                       bool new_decide, const std::string& owner) {
  life_.Enter(PortCall::kTakeFences);
  if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
  Result<std::vector<TakenLane>> taken = store_->TakeFences(lanes, new_decide, owner);
  life_.Leave(PortCall::kTakeFences);
  if (taken && nemesis_.Strikes(Fault::kTakeUnknown)) return NotKnown();
  return taken;
}

std::unique_ptr<RowStore> FaultyStore::OpenRows(Projection projection, Generation generation) {
  if (projection == projections::kPosts) {
    return std::make_unique<FaultyPostRows>(OpenPostStore(*store_, projection, generation), life_,
                                            nemesis_);
  }
  if (!HoldsLists(projection)) {
    return std::make_unique<FaultyErasures>(OpenErasures(*store_), life_, nemesis_);
  }
  return std::make_unique<FaultyEdges>(OpenEdges(*store_, projection, generation), life_, nemesis_);
}

Status FaultyStore::Commit(const LaneBatch& batch) {
  life_.Enter(PortCall::kCommit);
  if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
  if (batch.rows != nullptr && batch.rows->rows() > edges_a_call_max_) {
    nemesis_.Count(Fault::kBatchTooLarge);
    return Fail(ErrorCode::kUnavailable, "the call's time is over");
  }
  if (nemesis_.Strikes(Fault::kCommitConflict)) return Fail(ErrorCode::kConflict, "deadlock");
  if (nemesis_.Strikes(Fault::kCommitUnknownLost)) return NotKnown();
  Status committed = store_->Commit(batch);
  life_.Leave(PortCall::kCommit);
  if (committed && nemesis_.Strikes(Fault::kCommitUnknownApplied)) return NotKnown();
  return committed;
}

Result<std::vector<FenceState>> FaultyStore::FenceStatesOf(std::span<const LaneFence> held,
                                                           const std::string& owner) {
  life_.Enter(PortCall::kFenceStates);
  if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
  Result<std::vector<FenceState>> states = store_->FenceStatesOf(held, owner);
  life_.Leave(PortCall::kFenceStates);
  return states;
}

Status FaultyStore::StopDeciding(const LaneId& lane, const Fence& fence) {
  life_.Enter(PortCall::kDecide);
  if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
  Status stopped = store_->StopDeciding(lane, fence);
  life_.Leave(PortCall::kDecide);
  if (stopped && nemesis_.Strikes(Fault::kDecideUnknown)) return NotKnown();
  return stopped;
}

Result<bool> FaultyStore::StartDeciding(const LaneId& lane, const Fence& fence) {
  life_.Enter(PortCall::kDecide);
  if (nemesis_.Strikes(Fault::kStoreUnavailable)) return TablesAway();
  Result<bool> started = store_->StartDeciding(lane, fence);
  life_.Leave(PortCall::kDecide);
  if (started && *started && nemesis_.Strikes(Fault::kDecideUnknown)) return NotKnown();
  return started;
}

void FaultyStore::Release(std::span<const LaneFence> lanes) {
  life_.Enter(PortCall::kRelease);
  if (nemesis_.Strikes(Fault::kStoreUnavailable)) return;
  store_->Release(lanes);
  life_.Leave(PortCall::kRelease);
}

}  // namespace fanfold::simulation
