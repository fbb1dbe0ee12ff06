#include "projector/folds.h"

#include "common/base/check.h"
#include "projector/fans/fans_fold.h"
#include "projector/following/following_fold.h"

namespace fanfold::projector {

std::unique_ptr<const Fold> NewFold(Projection projection, FollowLimit limit) {
  if (projection == projections::kFollowing) return std::make_unique<FollowingFold>(limit);
  if (projection == projections::kFans) return std::make_unique<FansFold>();
  FANFOLD_CHECK(false, "a projection without a fold");
}

}  // namespace fanfold::projector
