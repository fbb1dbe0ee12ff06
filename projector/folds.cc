#include "projector/folds.h"

#include "projector/relations/relation_fold.h"

namespace fanfold::projector {

std::unique_ptr<const Fold> NewFold(Projection projection, FollowLimit limit) {
  return std::make_unique<RelationFold>(projection, limit);
}

}  // namespace fanfold::projector
