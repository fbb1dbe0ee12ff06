#include "projector/relations/row_loader.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/support/memory_store.h"
#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr Projection kKind = projections::kFollowing;
constexpr Generation kGeneration{1};

// Counts what is asked of the rows under it.
class CountingEdges final : public MemoryEdges {
 public:
  using MemoryEdges::MemoryEdges;
  Result<LoadedRows> Load(std::span<const EdgeKey> edges, std::span<const UserId> users) override {
    edges_asked += edges.size();
    users_asked += users.size();
    return MemoryEdges::Load(edges, users);
  }
  Result<std::optional<std::vector<EdgeRow>>> LoadLists(std::span<const UserId> users,
                                                        std::size_t rows_max) override {
    lists_asked += users.size();
    return MemoryEdges::LoadLists(users, rows_max);
  }
  std::size_t edges_asked = 0;
  std::size_t users_asked = 0;
  std::size_t lists_asked = 0;
};

class Loading : public ::testing::Test {
 protected:
  void Put(std::uint64_t user, std::uint64_t other, std::int64_t version) {
    tables_.edges[{kKind, kGeneration, {UserId(user), UserId(other)}}] = {true, 5,
                                                                          Version(version)};
    ++tables_.counts[{kKind, kGeneration, UserId(user)}];
  }
  RowSet Filled(std::vector<EdgeKey> keys) {
    RowSet rows;
    for (const EdgeKey& key : keys) rows.Add(key);
    rows.Seal();
    EXPECT_TRUE(loader_.Fill(rows));
    return rows;
  }
  static EdgeKey Key(std::uint64_t user, std::uint64_t other) {
    return {UserId(user), UserId(other)};
  }

  MemoryTables tables_;
  CountingEdges store_{tables_, kKind, kGeneration};
  RowLoader loader_{store_, RowMemory::kEntriesMax};
};

TEST_F(Loading, ASmallListIsReadOnceAndAnswersEverythingAfter) {
  Put(1, 2, 7);
  EXPECT_EQ(Filled({Key(1, 2)}).EdgeOf(0).version, Version(7));
  const RowSet again = Filled({Key(1, 2), Key(1, 3)});
  EXPECT_EQ(again.EdgeOf(0).version, Version(7));
  EXPECT_EQ(again.EdgeOf(1), Edge());
  EXPECT_EQ(again.CountOf(1), EdgeCount(1));
  EXPECT_EQ(store_.users_asked, 1U);
  EXPECT_EQ(store_.lists_asked, 1U);
  EXPECT_EQ(store_.edges_asked, 0U);
}

TEST_F(Loading, OfALongListOnlyTheRowsOfTheBatchAreRead) {
  for (std::uint64_t i = 1; i <= RowLoader::kSmallListMax + 1; ++i) Put(1, i, 7);
  const RowSet rows = Filled({Key(1, 3), Key(1, 99)});
  EXPECT_EQ(rows.EdgeOf(0).version, Version(7));
  EXPECT_EQ(rows.EdgeOf(1), Edge());
  EXPECT_EQ(rows.CountOf(0), EdgeCount(RowLoader::kSmallListMax + 1));
  EXPECT_EQ(store_.lists_asked, 0U);
  (void)Filled({Key(1, 4)});
  EXPECT_EQ(store_.users_asked, 1U);
  EXPECT_EQ(store_.edges_asked, 3U);
}

// A count row changed by hand must not hide the rows.
TEST_F(Loading, ACountThatIsGoneDoesNotHideTheRows) {
  Put(1, 2, 7);
  tables_.counts.clear();
  EXPECT_EQ(Filled({Key(1, 2)}).EdgeOf(0).version, Version(7));
}

TEST_F(Loading, MoreRowsThanTheCountsSayAreReadByKey) {
  for (std::uint64_t i = 1; i <= RowLoader::kListRowsMax + 1; ++i) Put(1, i, 7);
  tables_.counts.clear();
  EXPECT_EQ(Filled({Key(1, 2)}).EdgeOf(0).version, Version(7));
  EXPECT_EQ(store_.edges_asked, 1U);
}

TEST_F(Loading, KnownAndUnknownUsersMeetInOneBatch) {
  for (std::uint64_t i = 1; i <= 20; ++i) Put(2, i, 3);
  Put(3, 1, 4);
  (void)Filled({Key(1, 1)});
  const RowSet rows = Filled({Key(3, 1), Key(1, 1), Key(2, 20), Key(2, 21)});
  EXPECT_EQ(rows.EdgeOf(0).version, Version(4));
  EXPECT_EQ(rows.EdgeOf(1), Edge());
  EXPECT_EQ(rows.EdgeOf(2).version, Version(3));
  EXPECT_EQ(rows.EdgeOf(3), Edge());
  EXPECT_EQ(rows.CountOf(2), EdgeCount(20));
}

TEST_F(Loading, AfterForgettingTheStoreIsAskedAgain) {
  (void)Filled({Key(1, 2)});
  Put(1, 2, 9);
  EXPECT_EQ(Filled({Key(1, 2)}).EdgeOf(0), Edge());
  loader_.Forget();
  EXPECT_EQ(Filled({Key(1, 2)}).EdgeOf(0).version, Version(9));
}

// Another owner wrote between two takings of the same lane.
TEST(RowLoading, WhatALaneRemembersDiesWithItsEpoch) {
  Deployment deployment;
  const RelationFold following(projections::kFollowing, FollowLimit(1000));
  Hand first = deployment.Make(following);
  deployment.Follow(1, 2);
  deployment.Settle(first);
  Hand second = deployment.Make(following);
  deployment.Unfollow(1, 2);
  deployment.Settle(second);
  deployment.Follow(1, 2);
  deployment.Settle(first, 12);
  const Partition partition = deployment.placement.PartitionOf(UserId(1));
  ASSERT_EQ(deployment.Outcomes(partition).size(), 3U);
  EXPECT_EQ(deployment.Outcomes(partition)[2].kind, OutcomeKind::kFollowed);
  deployment.ExpectCountsEqualRows();
}

}  // namespace
}  // namespace fanfold::testing
