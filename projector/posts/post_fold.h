// Posts, folded from what authors ask for: an id is used once by each author.
#pragma once

#include <memory>

#include "projector/runtime/fold.h"

namespace fanfold::projector {

class PostFold final : public Fold {
 public:
  explicit PostFold(Projection projection) : projection_(projection) {}

  [[nodiscard]] Projection projection() const noexcept override { return projection_; }
  [[nodiscard]] std::unique_ptr<FoldLoad> NewLoad(const Placement& placement) const override;
  [[nodiscard]] std::unique_ptr<OpenFold> Open(LaneStore& store, const WorkPlace& place,
                                               const Clock& clock) const override;

 private:
  Projection projection_;
};

}  // namespace fanfold::projector
