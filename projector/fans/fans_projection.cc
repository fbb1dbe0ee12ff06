#include "projector/fans/fans_projection.h"

#include "common/base/check.h"

namespace fanfold {

EdgeKey FansProjection::KeyOf(UserId subject, UserId object) const noexcept {
  return {object, subject};
}

bool FansProjection::HasLane(Partition, Shard, const Placement&) const noexcept { return true; }

void FansProjection::Decide(EventBatch&) const {
  FANFOLD_CHECK(false, "a lane of the fans projection has the role decides");
}

}  // namespace fanfold
