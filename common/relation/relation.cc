#include "common/relation/relation.h"

namespace fanfold {

Relation RelationOf(UserId viewer, UserId other, bool follows, bool followed_by) noexcept {
  if (viewer == other) return Relation::kSelf;
  if (follows) return followed_by ? Relation::kFriend : Relation::kFollowing;
  return followed_by ? Relation::kFollowedBy : Relation::kNone;
}

std::string_view ToString(Relation relation) noexcept {
  switch (relation) {
    case Relation::kNone:
      return "none";
    case Relation::kFollowing:
      return "following";
    case Relation::kFollowedBy:
      return "followed_by";
    case Relation::kFriend:
      return "friend";
    case Relation::kSelf:
      return "self";
  }
  return "none";
}

}  // namespace fanfold
