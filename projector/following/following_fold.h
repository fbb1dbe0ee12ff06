// The following table: the subject's side of every edge, on the subject's shard, and who decides.
#pragma once

#include "common/relation/edge.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

class FollowingFold final : public Fold {
 public:
  explicit FollowingFold(FollowLimit limit) : limit_(limit) {}

  [[nodiscard]] Projection projection() const noexcept override { return projections::kFollowing; }
  [[nodiscard]] EdgeKey KeyOf(UserId subject, UserId object) const noexcept override;
  void Decide(EventBatch& batch) const override;

 private:
  FollowLimit limit_;
};

}  // namespace fanfold::projector
