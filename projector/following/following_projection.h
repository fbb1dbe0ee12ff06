// The following table: the subject's side of every edge, on the subject's shard, and the seat of
// the decider.
#pragma once

#include "common/relation/edge.h"
#include "projector/runtime/projection.h"

namespace fanfold {

class FollowingProjection final : public Projection {
 public:
  explicit FollowingProjection(FollowLimit limit) : limit_(limit) {}

  [[nodiscard]] ProjectionKind kind() const noexcept override { return ProjectionKind::kFollowing; }
  [[nodiscard]] LaneRole role_of_new() const noexcept override { return LaneRole::kDecides; }
  [[nodiscard]] EdgeKey KeyOf(UserId subject, UserId object) const noexcept override;
  // All subjects of a partition share a shard.
  [[nodiscard]] bool HasLane(Partition partition, Shard shard,
                             const Placement& placement) const noexcept override;
  void Decide(EventBatch& batch) const override;

 private:
  FollowLimit limit_;
};

}  // namespace fanfold
