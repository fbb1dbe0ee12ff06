// Feed state, folded from what owners were shown and when they looked.
#pragma once

#include <memory>

#include "common/feed/inbox.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

class FeedFold final : public Fold {
 public:
  FeedFold(Projection projection, const InboxLimits& inboxes)
      : projection_(projection), inboxes_(inboxes) {}

  [[nodiscard]] Projection projection() const noexcept override { return projection_; }
  [[nodiscard]] std::unique_ptr<FoldLoad> NewLoad(const Placement& placement) const override;
  [[nodiscard]] std::unique_ptr<OpenFold> Open(LaneStore& store, const WorkPlace& place,
                                               const Clock& clock) const override;
  [[nodiscard]] std::unique_ptr<Task> NewTask(const TaskPorts& ports) const override;

 private:
  Projection projection_;
  InboxLimits inboxes_;
};

}  // namespace fanfold::projector
