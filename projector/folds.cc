#include "projector/folds.h"

#include "common/ports/post_reader.h"
#include "common/ports/profile_reader.h"
#include "common/ports/shown_reader.h"
#include "projector/feed/feed_fold.h"
#include "projector/posts/post_fold.h"
#include "projector/profiles/profile_fold.h"
#include "projector/relations/relation_fold.h"

namespace fanfold::projector {

namespace {

using Make = std::unique_ptr<const Fold> (*)(Projection, FollowLimit, const InboxLimits&);

std::unique_ptr<const Fold> NewRelationFold(Projection projection, FollowLimit limit,
                                            const InboxLimits&) {
  return std::make_unique<RelationFold>(projection, limit);
}

std::unique_ptr<const Fold> NewProfileFold(Projection projection, FollowLimit, const InboxLimits&) {
  return std::make_unique<ProfileFold>(projection);
}

std::unique_ptr<const Fold> NewPostFold(Projection projection, FollowLimit, const InboxLimits&) {
  return std::make_unique<PostFold>(projection);
}

std::unique_ptr<const Fold> NewFeedFold(Projection projection, FollowLimit,
                                        const InboxLimits& inboxes) {
  return std::make_unique<FeedFold>(projection, inboxes);
}

constexpr auto kFolds = [] {
  PerProjection<Make> folds;
  folds[projections::kFollowing] = NewRelationFold;
  folds[projections::kFans] = NewRelationFold;
  folds[projections::kProfiles] = NewProfileFold;
  folds[projections::kPosts] = NewPostFold;
  folds[projections::kFeed] = NewFeedFold;
  return folds;
}();
static_assert(kFolds.IsComplete());

}  // namespace

std::unique_ptr<const Fold> NewFold(Projection projection, FollowLimit limit,
                                    const InboxLimits& inboxes) {
  return kFolds[projection](projection, limit, inboxes);
}

}  // namespace fanfold::projector
