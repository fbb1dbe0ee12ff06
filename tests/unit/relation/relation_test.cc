#include "common/relation/relation.h"

#include <gtest/gtest.h>

#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

constexpr UserId kViewer{1};
constexpr UserId kOther{2};

TEST(RelationOf, IsTheMeetingOfTheTwoDirections) {
  EXPECT_EQ(RelationOf(kViewer, kOther, false, false), Relation::kNone);
  EXPECT_EQ(RelationOf(kViewer, kOther, true, false), Relation::kFollowing);
  EXPECT_EQ(RelationOf(kViewer, kOther, false, true), Relation::kFollowedBy);
  EXPECT_EQ(RelationOf(kViewer, kOther, true, true), Relation::kFriend);
}

TEST(RelationOf, OneselfIsSelfWhateverTheRowsSay) {
  for (const bool follows : {false, true}) {
    for (const bool followed_by : {false, true}) {
      EXPECT_EQ(RelationOf(kViewer, kViewer, follows, followed_by), Relation::kSelf);
    }
  }
}

TEST(Relation, NamesAreTheContracts) {
  EXPECT_EQ(ToString(Relation::kNone), "none");
  EXPECT_EQ(ToString(Relation::kFollowing), "following");
  EXPECT_EQ(ToString(Relation::kFollowedBy), "followed_by");
  EXPECT_EQ(ToString(Relation::kFriend), "friend");
  EXPECT_EQ(ToString(Relation::kSelf), "self");
}

}  // namespace
}  // namespace fanfold
