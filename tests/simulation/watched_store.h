#pragma once

#include <functional>
#include <string>
#include <utility>

#include "tests/simulation/passing_store.h"

namespace fanfold::simulation {

// Tells of every transaction as it is applied, whoever hears of it afterwards.
class WatchedStore final : public PassingStore {
 public:
  struct Watch {
    std::function<void(const LaneBatch&)> committed;
    std::function<void(const LaneId&, const std::string& reason)> stopped;  // halted or paused
  };

  WatchedStore(std::unique_ptr<LaneStore> store, Watch watch)
      : PassingStore(std::move(store)), watch_(std::move(watch)) {}

  Status Commit(const LaneBatch& batch) override {
    Status committed = store_->Commit(batch);
    if (committed) watch_.committed(batch);
    return committed;
  }
  Status SetState(const LaneId& lane, const Fence& fence, LaneState state,
                  const std::string& reason) override {
    Status set = store_->SetState(lane, fence, state, reason);
    if (set) watch_.stopped(lane, reason);
    return set;
  }

 private:
  Watch watch_;
};

}  // namespace fanfold::simulation
