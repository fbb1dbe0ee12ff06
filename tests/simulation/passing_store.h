#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/ports/table_operations.h"

namespace fanfold::simulation {

// Passes everything on; a derived class overrides the calls that it is about.
class PassingStore : public LaneStore {
 public:
  explicit PassingStore(std::unique_ptr<LaneStore> store) : store_(std::move(store)) {}

  [[nodiscard]] Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes,
                                                          bool new_decide,
                                                          const std::string& owner) override {
    return store_->TakeFences(lanes, new_decide, owner);
  }
  [[nodiscard]] std::unique_ptr<RowStore> OpenRows(Projection projection,
                                                   Generation generation) override {
    return store_->OpenRows(projection, generation);
  }
  [[nodiscard]] Status Commit(const LaneBatch& batch) override { return store_->Commit(batch); }
  [[nodiscard]] Result<std::vector<FenceState>> FenceStatesOf(std::span<const LaneFence> held,
                                                              const std::string& owner) override {
    return store_->FenceStatesOf(held, owner);
  }
  [[nodiscard]] Status SetState(const LaneId& lane, const Fence& fence, LaneState state,
                                const std::string& reason) override {
    return store_->SetState(lane, fence, state, reason);
  }
  [[nodiscard]] Result<std::vector<FoldedGeneration>> Generations(Projection projection) override {
    return store_->Generations(projection);
  }
  [[nodiscard]] Status StopDeciding(const LaneId& lane, const Fence& fence) override {
    return store_->StopDeciding(lane, fence);
  }
  [[nodiscard]] Result<bool> StartDeciding(const LaneId& lane, const Fence& fence) override {
    return store_->StartDeciding(lane, fence);
  }
  void Release(std::span<const LaneFence> lanes) override { store_->Release(lanes); }

 protected:
  std::unique_ptr<LaneStore> store_;
};

// The same of the rows of edges.
class PassingEdges : public EdgeStore {
 public:
  // Requires: rows of edges.
  explicit PassingEdges(std::unique_ptr<EdgeStore> rows) : rows_(std::move(rows)) {}

  [[nodiscard]] Result<LoadedRows> Load(std::span<const EdgeKey> edges,
                                        std::span<const UserId> users) override {
    return rows_->Load(edges, users);
  }
  [[nodiscard]] Result<std::optional<std::vector<EdgeRow>>> LoadLists(
      std::span<const UserId> users, std::size_t rows_max) override {
    return rows_->LoadLists(users, rows_max);
  }

 protected:
  std::unique_ptr<EdgeStore> rows_;
};

// The same of an operator's side.
class PassingOperations : public TableOperations {
 public:
  explicit PassingOperations(std::unique_ptr<TableOperations> tables)
      : tables_(std::move(tables)) {}

  [[nodiscard]] Status Pause(const LaneId& lane, const std::string& reason) override {
    return tables_->Pause(lane, reason);
  }
  [[nodiscard]] Status Resume(const LaneId& lane) override { return tables_->Resume(lane); }
  [[nodiscard]] Status Rewind(const LaneId& lane, Offset to) override {
    return tables_->Rewind(lane, to);
  }
  [[nodiscard]] Status DropParked(Projection projection, Partition partition,
                                  Offset offset) override {
    return tables_->DropParked(projection, partition, offset);
  }
  [[nodiscard]] Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                                          const FoldAgain& fold) override {
    return tables_->Repair(scope, base, fold);
  }

 protected:
  const std::unique_ptr<TableOperations> tables_;
};

}  // namespace fanfold::simulation
