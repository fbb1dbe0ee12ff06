#include "common/ports/projection.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace fanfold {
namespace {

TEST(Projections, AreFoundByNameAlone) {
  for (const Projection projection : Projection::All()) {
    EXPECT_EQ(Projection::Find(projection.name()), projection);
  }
  EXPECT_EQ(Projection::Find("followings"), std::nullopt);
  EXPECT_EQ(Projection::Find("Fans"), std::nullopt);
  EXPECT_EQ(Projection::Find(""), std::nullopt);
}

TEST(Projections, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Projection projection : Projection::All()) {
    EXPECT_TRUE(names.insert(projection.name()).second) << projection.name();
  }
}

// Rows, pages and output stand in this order.
TEST(Projections, FollowingComesBeforeFans) {
  EXPECT_LT(projections::kFollowing, projections::kFans);
}

TEST(Projections, OfEdgesHoldADirectionEach) {
  for (const Direction list : {Direction::kFollowing, Direction::kFans}) {
    EXPECT_EQ(ListsOf(ProjectionOf(list)), list);
    EXPECT_EQ(ProjectionOf(list).name(), list == Direction::kFollowing ? "following" : "fans");
  }
}

TEST(Projections, LanesAreWhereTheirRowsAre) {
  const Placement placement = Placement::Modulo({4, 2});
  for (std::int32_t p = 0; p < 4; ++p) {
    for (std::int32_t s = 0; s < 2; ++s) {
      EXPECT_EQ(projections::kFollowing.HasLane(Partition(p), Shard(s), placement), p % 2 == s)
          << p << " on " << s;
      EXPECT_TRUE(projections::kFans.HasLane(Partition(p), Shard(s), placement))
          << p << " on " << s;
    }
  }
}

TEST(Projections, OneDecides) {
  EXPECT_TRUE(projections::kFollowing.decides());
  EXPECT_FALSE(projections::kFans.decides());
}

}  // namespace
}  // namespace fanfold
