#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/projection_store.h"

namespace fanfold::simulation {

// Passes everything on; who derives from it overrides what he is about.
class PassingStore : public ProjectionStore {
 public:
  explicit PassingStore(std::unique_ptr<ProjectionStore> store) : store_(std::move(store)) {}

  [[nodiscard]] Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes,
                                                          bool new_decide,
                                                          const std::string& owner) override {
    return store_->TakeFences(lanes, new_decide, owner);
  }
  [[nodiscard]] Result<LoadedRows> Load(Projection projection, Generation generation,
                                        std::span<const EdgeKey> edges,
                                        std::span<const UserId> users) override {
    return store_->Load(projection, generation, edges, users);
  }
  [[nodiscard]] Result<std::optional<std::vector<EdgeRow>>> LoadLists(
      Projection projection, Generation generation, std::span<const UserId> users,
      std::size_t rows_max) override {
    return store_->LoadLists(projection, generation, users, rows_max);
  }
  [[nodiscard]] Status Commit(const StoreBatch& batch) override { return store_->Commit(batch); }
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
  std::unique_ptr<ProjectionStore> store_;
};

}  // namespace fanfold::simulation
