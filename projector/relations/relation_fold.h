// Who follows whom, folded into the lists of one direction. The fold of following decides.
#pragma once

#include "common/relation/edge.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

class RelationFold final : public Fold {
 public:
  // Requires: a projection of edges. `limit` is for who decides.
  RelationFold(Projection projection, FollowLimit limit) : projection_(projection), limit_(limit) {}

  [[nodiscard]] Projection projection() const noexcept override { return projection_; }
  [[nodiscard]] std::unique_ptr<FoldLoad> NewLoad(const Placement& placement) const override;
  [[nodiscard]] std::unique_ptr<OpenFold> Open(LaneStore& store, const WorkPlace& place,
                                               const Clock& clock) const override;

 private:
  Projection projection_;
  FollowLimit limit_;
};

}  // namespace fanfold::projector
