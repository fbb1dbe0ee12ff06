// What a projection is to the runtime: whose row an edge is, and what becomes of events.
#pragma once

#include "common/ports/projection.h"
#include "common/ports/projection_store.h"
#include "common/relation/ids.h"

namespace fanfold::projector {

struct EventBatch;

// Immutable; shared by all workers of a process.
class Fold {
 public:
  virtual ~Fold() = default;

  [[nodiscard]] virtual Projection projection() const noexcept = 0;
  // The row of subject → object in this projection's table.
  [[nodiscard]] virtual EdgeKey KeyOf(UserId subject, UserId object) const noexcept = 0;
  // Decides every event of the batch, in order, moving its rows and filling its lanes' outbox.
  // Requires: a projection that decides, and rows that are filled.
  virtual void Decide(EventBatch& batch) const = 0;
};

}  // namespace fanfold::projector
