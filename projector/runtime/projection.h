// What a projection is to the runtime: whose row an edge is, which lanes a shard has, who decides.
#pragma once

#include "common/ports/lane.h"
#include "common/ports/projection_store.h"
#include "common/relation/ids.h"
#include "common/relation/slot.h"

namespace fanfold {

struct EventBatch;

// Immutable; shared by all workers of a process.
class Projection {
 public:
  virtual ~Projection() = default;

  [[nodiscard]] virtual ProjectionKind kind() const noexcept = 0;
  // The role of a lane that nobody has claimed before.
  [[nodiscard]] virtual LaneRole role_of_new() const noexcept = 0;
  // The row of subject → object in this projection's table.
  [[nodiscard]] virtual EdgeKey KeyOf(UserId subject, UserId object) const noexcept = 0;
  // Does this partition have a lane on this shard?
  [[nodiscard]] virtual bool HasLane(Partition partition, Shard shard,
                                     const Placement& placement) const noexcept = 0;
  // Decides every event of the batch, in order, moving its rows and filling its lanes' outbox.
  // Requires: a projection whose lanes decide, and rows that are filled.
  virtual void Decide(EventBatch& batch) const = 0;
};

}  // namespace fanfold
