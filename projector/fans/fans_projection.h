// The fan table: the object's side of every edge, on the object's shard.
#pragma once

#include "projector/runtime/projection.h"

namespace fanfold {

class FansProjection final : public Projection {
 public:
  [[nodiscard]] ProjectionKind kind() const noexcept override { return ProjectionKind::kFans; }
  [[nodiscard]] LaneRole role_of_new() const noexcept override { return LaneRole::kApplies; }
  [[nodiscard]] EdgeKey KeyOf(UserId subject, UserId object) const noexcept override;
  // Objects of a partition's outcomes live anywhere.
  [[nodiscard]] bool HasLane(Partition partition, Shard shard,
                             const Placement& placement) const noexcept override;
  void Decide(EventBatch& batch) const override;
};

}  // namespace fanfold
