// The fan table: the object's side of every edge, on the object's shard.
#pragma once

#include "projector/runtime/fold.h"

namespace fanfold::projector {

class FansFold final : public Fold {
 public:
  [[nodiscard]] Projection projection() const noexcept override { return projections::kFans; }
  [[nodiscard]] EdgeKey KeyOf(UserId subject, UserId object) const noexcept override;
  void Decide(EventBatch& batch) const override;
};

}  // namespace fanfold::projector
