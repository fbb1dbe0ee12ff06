#include "reader/query_needs.h"

#include <gtest/gtest.h>
#include <optional>

namespace fanfold::reader {
namespace {

const Placement kPlacement = Placement::Modulo({8, 4});

UserId UserOf(Partition partition) {
  for (std::uint64_t id = 1;; ++id) {
    if (kPlacement.PartitionOf(UserId(id)) == partition) return UserId(id);
  }
}

TEST(LanesRead, FollowingIsOnePartitionsFansAreAll) {
  const UserId user = UserOf(Partition(5));
  const ListQuery following{.user = user, .start = {}, .viewer = {}};
  EXPECT_EQ(LanesOf(following, kPlacement),
            std::vector<LanesRead>({{projections::kFollowing, Shard(1), Partition(5)}}));
  const ListQuery fans{.list = ListKind::kFans, .user = user, .start = {}, .viewer = {}};
  EXPECT_EQ(LanesOf(fans, kPlacement),
            std::vector<LanesRead>({{projections::kFans, Shard(1), std::nullopt}}));
  EXPECT_EQ(LanesOf(FansExportQuery{user}, kPlacement), LanesOf(fans, kPlacement));
}

TEST(LanesRead, ViewerAddsHisShard) {
  const ListQuery list{.user = UserOf(Partition(5)), .start = {}, .viewer = UserOf(Partition(2))};
  EXPECT_EQ(ShardsOf(LanesOf(list, kPlacement)), std::vector<Shard>({Shard(1), Shard(2)}));
}

TEST(LanesRead, OneOfManyStandsOnce) {
  const UserId user = UserOf(Partition(5));
  EXPECT_EQ(LanesOf(CountsOfManyQuery{{user, user, user}}, kPlacement).size(), 2U);
}

TEST(LanesRead, SuggestionsReadTheFollowingOfEveryShard) {
  const auto lanes = LanesOf(SuggestionsQuery{UserOf(Partition(5))}, kPlacement);
  EXPECT_EQ(ShardsOf(lanes), std::vector<Shard>({Shard(0), Shard(1), Shard(2), Shard(3)}));
  for (const LanesRead& read : lanes) {
    EXPECT_EQ(read.projection, projections::kFollowing);
    EXPECT_EQ(read.partition, std::nullopt);
  }
}

TEST(LanesRead, PositionsOfOtherPartitionsAreWaitedForWhereTheyAreWritten) {
  const Deployment deployment{kPlacement, {Generation(3), Generation(4)}};
  const CountsQuery counts{UserOf(Partition(5))};
  const StreamPosition asked[] = {{streams::kRelations, {Partition(2), Offset(7)}}};
  const auto needs = NeedsOf(asked, LanesOf(counts, kPlacement), deployment);
  ASSERT_EQ(needs.size(), 2U);
  EXPECT_EQ(needs[0].lane, (LaneId{projections::kFollowing, Generation(3), Partition(2)}));
  EXPECT_EQ(needs[0].shard, Shard(2));
  EXPECT_EQ(needs[1].lane, (LaneId{projections::kFans, Generation(4), Partition(2)}));
  EXPECT_EQ(needs[1].shard, Shard(1));
  EXPECT_EQ(needs[1].event, Offset(7));
}

TEST(ListsOfOneUser, AreToldWhereTheyMakeTheAnswer) {
  struct Case {
    ReadQuery query;
    bool following = false;
    bool fans = false;
  };
  const UserId user = UserOf(Partition(5));
  const auto list = [&](ListKind kind, std::optional<UserId> viewer = std::nullopt) {
    return ListQuery{.list = kind, .user = user, .start = {}, .viewer = viewer};
  };
  const std::vector<Case> cases = {
      {list(ListKind::kFollowing), true, false},
      {list(ListKind::kFans), false, true},
      {list(ListKind::kFriends), true, true},
      {CountsQuery{user}, true, true},
      {RelationsQuery{user, {user}}, true, true},
      {list(ListKind::kFans, user)},
      {CommonQuery{.user = user, .with = user, .after = {}}},
      {CountsOfManyQuery{{user}}},
      {SuggestionsQuery{user}},
      {FansExportQuery{user}},
      {ProjectionsQuery{}},
  };
  for (const Case& each : cases) {
    const std::optional<ListsOfUser> told = ListsOfOneUser(each.query);
    const ListsNeeded lists = told ? told->lists : ListsNeeded();
    EXPECT_EQ(lists.following, each.following) << each.query.index();
    EXPECT_EQ(lists.fans, each.fans) << each.query.index();
    EXPECT_TRUE(!told || told->user == user);
  }
}

TEST(IsLong, WhatGoesThroughManyUsersOrRows) {
  const UserId user = UserOf(Partition(5));
  EXPECT_TRUE(IsLong(SuggestionsQuery{user}));
  EXPECT_TRUE(IsLong(FansExportQuery{user}));
  EXPECT_FALSE(IsLong(CountsQuery{user}));
}

}  // namespace
}  // namespace fanfold::reader
