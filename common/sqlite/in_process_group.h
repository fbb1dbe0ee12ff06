// Ownership of partitions by a group whose members live in one process: an embedded deployment's,
// or a simulation's.
#pragma once

#include <cstdint>
#include <memory>

#include "common/base/clock.h"
#include "common/ports/partition_ownership.h"

namespace fanfold {

// A member without a thread of its own: callbacks come from its own calls alone.
class InProcessMember : public PartitionOwnership {
 public:
  // Says that this member is alive, and lets its losses and gains happen.
  virtual void Serve() = 0;
};

// Thread-safe; members may outlive it. A partition changes hands when its member's `lost` has
// returned, or when that member has not been served for the session's time-out. Such a member is
// out of the group: it learns of it when it is served again, and joins anew.
class InProcessGroup {
 public:
  static constexpr std::int64_t kSessionTimeoutMs = 30'000;

  // `clock` outlives the group and its members.
  InProcessGroup(std::int32_t partitions, const Clock& clock,
                 std::int64_t session_timeout_ms = kSessionTimeoutMs);
  ~InProcessGroup();

  // For a simulation. Its Join does no more than let it take part: gains come when it is served.
  [[nodiscard]] std::unique_ptr<InProcessMember> NewMember();
  // Served by a thread of its own. Leave blocks for as long as a callback does.
  [[nodiscard]] std::unique_ptr<PartitionOwnership> NewThreadedMember();

  class State;

 private:
  const std::shared_ptr<State> state_;
};

}  // namespace fanfold
