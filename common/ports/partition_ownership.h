// The partitions that this process works on. Adapters: Kafka's consumer group, a group within a
// process; each passes tests/contract/partition_ownership_contract.h. Ownership is advice about
// whom to let work: the fence in the tables makes a write safe.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "common/base/result.h"
#include "common/stream/ids.h"

namespace fanfold {

class PartitionOwnership {
 public:
  struct Callbacks {
    // From a thread of the adapter, one call at a time, never after Leave has returned. With none
    // where this process is told that there is none for it.
    std::function<void(std::span<const Partition>)> gained;
    // Returns when work on them has stopped, or a bound of the callee ran out; until then no other
    // member is told that it gained them, unless this process is taken for dead.
    std::function<void(std::span<const Partition>)> lost;
  };

  // Leaves.
  virtual ~PartitionOwnership() = default;

  // Starts to take part. Gains and losses follow until Leave.
  [[nodiscard]] virtual Status Join(Callbacks callbacks) = 0;
  // Gives everything back in order (`lost` is called) and stops. Blocks for at most 10 s.
  virtual void Leave() = 0;
};

}  // namespace fanfold
