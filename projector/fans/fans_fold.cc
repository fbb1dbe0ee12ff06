#include "projector/fans/fans_fold.h"

#include "common/base/check.h"

namespace fanfold::projector {

EdgeKey FansFold::KeyOf(UserId subject, UserId object) const noexcept { return {object, subject}; }

void FansFold::Decide(EventBatch&) const {
  FANFOLD_CHECK(false, "a lane of the fans projection has the role decides");
}

}  // namespace fanfold::projector
