// Feed state, folded from what owners were shown and when they looked.
#pragma once

#include <memory>

#include "projector/runtime/fold.h"

namespace fanfold::projector {

class FeedFold final : public Fold {
 public:
  explicit FeedFold(Projection projection) : projection_(projection) {}

  [[nodiscard]] Projection projection() const noexcept override { return projection_; }
  [[nodiscard]] std::unique_ptr<FoldLoad> NewLoad(const Placement& placement) const override;
  [[nodiscard]] std::unique_ptr<OpenFold> Open(LaneStore& store,
                                               const WorkPlace& place) const override;

 private:
  Projection projection_;
};

}  // namespace fanfold::projector
