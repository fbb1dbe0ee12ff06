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

  [[nodiscard]] Result<std::vector<ClaimedLane>> Claim(std::span<const LaneId> lanes,
                                                       LaneRole role_of_new,
                                                       const std::string& owner) override {
    return store_->Claim(lanes, role_of_new, owner);
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
  [[nodiscard]] Result<std::vector<Standing>> StandingsOf(std::span<const LaneClaim> claims,
                                                          const std::string& owner) override {
    return store_->StandingsOf(claims, owner);
  }
  [[nodiscard]] Status SetState(const LaneId& lane, const LaneToken& token, LaneState state,
                                const std::string& reason) override {
    return store_->SetState(lane, token, state, reason);
  }
  [[nodiscard]] Result<std::vector<FoldedGeneration>> Generations(Projection projection) override {
    return store_->Generations(projection);
  }
  [[nodiscard]] Status StepDown(const LaneId& lane, const LaneToken& token) override {
    return store_->StepDown(lane, token);
  }
  [[nodiscard]] Result<bool> StepUp(const LaneId& lane, const LaneToken& token) override {
    return store_->StepUp(lane, token);
  }
  void Release(std::span<const LaneClaim> lanes) override { store_->Release(lanes); }

 protected:
  std::unique_ptr<ProjectionStore> store_;
};

}  // namespace fanfold::simulation
