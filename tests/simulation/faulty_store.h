// The tables as a process in trouble sees them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/lane_store.h"
#include "common/ports/post_reader.h"
#include "common/ports/projection_reader.h"
#include "tests/simulation/adapters.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/life.h"
#include "tests/simulation/passing_store.h"

namespace fanfold::simulation {

// Within the contract of LaneStore: calls fail before or after they have taken effect. States
// are set without faults.
class FaultyStore final : public PassingStore {
 public:
  FaultyStore(std::unique_ptr<LaneStore> store, Life& life, Nemesis& nemesis,
              std::size_t edges_a_call_max)
      : PassingStore(std::move(store)),
        life_(life),
        nemesis_(nemesis),
        edges_a_call_max_(edges_a_call_max) {}

  [[nodiscard]] Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes,
                                                          bool new_decide,
                                                          const std::string& owner) override;
  [[nodiscard]] std::unique_ptr<RowStore> OpenRows(Projection projection,
                                                   Generation generation) override;
  [[nodiscard]] Status Commit(const LaneBatch& batch) override;
  [[nodiscard]] Result<std::vector<FenceState>> FenceStatesOf(std::span<const LaneFence> held,
                                                              const std::string& owner) override;
  [[nodiscard]] Status StopDeciding(const LaneId& lane, const Fence& fence) override;
  [[nodiscard]] Result<bool> StartDeciding(const LaneId& lane, const Fence& fence) override;
  void Release(std::span<const LaneFence> lanes) override;

 private:
  Life& life_;
  Nemesis& nemesis_;
  const std::size_t edges_a_call_max_;
};

// Sees each view of a user as it is read, and may change it.
using OnView = std::function<void(std::span<const ListQuestion>, UserView&)>;

// Sees where the rows stand of which these stretches are read, and may change it.
using OnPosts = std::function<void(std::span<const PostStretch>, PostLanes&)>;

// The same of the reader's side.
[[nodiscard]] std::unique_ptr<ProjectionReader> MakeFaulty(std::unique_ptr<ProjectionReader> reader,
                                                           Life& life, Nemesis& nemesis,
                                                           OnView on_view = nullptr,
                                                           OnLanes on_lanes = nullptr,
                                                           OnPosts on_posts = nullptr);

}  // namespace fanfold::simulation
