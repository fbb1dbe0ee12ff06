// Profiles, folded from what users say: a user's last event is the user's row.
#pragma once

#include <memory>

#include "projector/runtime/fold.h"

namespace fanfold::projector {

class ProfileFold final : public Fold {
 public:
  explicit ProfileFold(Projection projection) : projection_(projection) {}

  [[nodiscard]] Projection projection() const noexcept override { return projection_; }
  [[nodiscard]] std::unique_ptr<FoldLoad> NewLoad(const Placement& placement) const override;
  [[nodiscard]] std::unique_ptr<OpenFold> Open(LaneStore& store, const WorkPlace& place,
                                               const Clock& clock) const override;
  // Erases deleted accounts.
  [[nodiscard]] std::unique_ptr<Task> NewTask(const TaskPorts& ports) const override;

 private:
  Projection projection_;
};

}  // namespace fanfold::projector
