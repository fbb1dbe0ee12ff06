// What every EdgeStore does, and what its LaneStore writes of it. An adapter's test includes this
// and instantiates EdgeStoreContract with its TablesFactory.
#pragma once

#include <string>
#include <vector>

#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class EdgeStoreContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  EdgeStoreContract() : tables_(GetParam().make()), store_(tables_->NewStore()) {}

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
};

TEST_P(EdgeStoreContract, LoadGivesRowsInTheOrderAskedAndZerosWhereThereIsNone) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane,
                  BatchOf(lane, 3, {Row(1, 20, true, 500, 1), Row(7, 9, false, 600, 3)}));
  const std::vector<EdgeKey> keys = {{UserId(1), UserId(10)},
                                     {UserId(1), UserId(20)},
                                     {UserId(5), UserId(1)},
                                     {UserId(7), UserId(9)},
                                     {UserId(8), UserId(9)}};
  const std::vector<UserId> users = {UserId(1), UserId(5), UserId(7)};
  const LoadedRows rows = Must(OpenEdges(*store_, projections::kFollowing, kG1)->Load(keys, users));
  const std::vector<Edge> edges = {{}, {true, 500, Version(1)}, {}, {false, 600, Version(3)}, {}};
  EXPECT_EQ(rows.edges, edges);
  EXPECT_EQ(rows.counts, (std::vector{EdgeCount(1), EdgeCount(0), EdgeCount(0)}));
}

TEST_P(EdgeStoreContract, LoadOfNothingIsNothing) {
  const LoadedRows rows = Must(OpenEdges(*store_, projections::kFans, kG1)->Load({}, {}));
  EXPECT_TRUE(rows.edges.empty());
  EXPECT_TRUE(rows.counts.empty());
}

TEST_P(EdgeStoreContract, ListsHoldEveryRowOfTheirUsersByKey) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const std::vector<EdgeRow> written = {Row(1, 20, true, 500, 1), Row(1, 30, false, 501, 2),
                                        Row(2, 5, true, 502, 3), Row(7, 9, true, 600, 4)};
  CommitAndFollow(*store_, lane, BatchOf(lane, 4, written));
  const std::vector<UserId> users = {UserId(1), UserId(5), UserId(7)};
  const auto lists = Must(OpenEdges(*store_, projections::kFollowing, kG1)->LoadLists(users, 3));
  ASSERT_TRUE(lists.has_value());
  ASSERT_EQ(lists->size(), 3U);
  const std::vector<std::size_t> expected = {0, 1, 3};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*lists)[i].key, written[expected[i]].key);
    EXPECT_EQ((*lists)[i].edge, written[expected[i]].edge);
  }
}

TEST_P(EdgeStoreContract, ListsOfMoreRowsThanAllowedAreNotGiven) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane,
                  BatchOf(lane, 2, {Row(1, 20, true, 500, 1), Row(2, 30, true, 501, 2)}));
  const std::vector<UserId> users = {UserId(1), UserId(2)};
  EXPECT_TRUE(
      Must(OpenEdges(*store_, projections::kFollowing, kG1)->LoadLists(users, 2)).has_value());
  EXPECT_FALSE(
      Must(OpenEdges(*store_, projections::kFollowing, kG1)->LoadLists(users, 1)).has_value());
}

TEST_P(EdgeStoreContract, IdsUpToTheirLargestSurvive) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(kUserIdMax, kUserIdMax - 1, true, 0, 1)}));
  EXPECT_EQ(LoadedEdge(*store_, kUserIdMax, kUserIdMax - 1), (Edge{true, 0, Version(1)}));
  EXPECT_EQ(LoadedCount(*store_, kUserIdMax), 1);
}

TEST_P(EdgeStoreContract, BothProjectionsKeepTheirRowsApart) {
  TakenLane following = TakeOne(*store_, FollowingLane(0));
  TakenLane fans = TakeOne(*store_, FansLane(0), kApplying);
  CommitAndFollow(*store_, following, BatchOf(following, 1, {Row(1, 2, true, 5, 1)}));
  CommitAndFollow(*store_, fans, BatchOf(fans, 1, {Row(2, 1, true, 5, 1)}));
  EXPECT_EQ(LoadedEdge(*store_, 1, 2).version, Version(1));
  EXPECT_EQ(LoadedEdge(*store_, 2, 1).version, Version(0));
  EXPECT_EQ(LoadedEdge(*store_, 2, 1, projections::kFans).version, Version(1));
  EXPECT_EQ(LoadedCount(*store_, 2, projections::kFans), 1);
}

TEST_P(EdgeStoreContract, RowAtOrAboveTheWrittenVersionStays) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 5, {Row(1, 2, true, 500, 5)}));
  for (const std::int64_t version : {4, 5}) {
    EdgeBatch late = BatchOf(lane, 1, {Row(1, 2, false, 999, version)});
    CommitAndFollow(*store_, lane, late);
    EXPECT_EQ(LoadedEdge(*store_, 1, 2), (Edge{true, 500, Version(5)})) << version;
  }
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, false, 999, 6)}));
  EXPECT_EQ(LoadedEdge(*store_, 1, 2), (Edge{false, 999, Version(6)}));
}

TEST_P(EdgeStoreContract, NewestRowsReplaceThoseThatAreThere) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane,
                  BatchOf(lane, 2, {Row(1, 20, true, 500, 1), Row(1, 21, true, 501, 2)}));
  EdgeBatch newest =
      BatchOf(lane, 2,
              {Row(1, 20, false, 600, 3), Row(1, 21, true, 501, 2),
               Row(9'223'372'036'854'775'807, 1, true, 9'223'372'036'854'775'807, 4)});
  newest.counts.clear();
  newest.edges_are_newest = true;
  CommitAndFollow(*store_, lane, newest);
  EXPECT_EQ(LoadedEdge(*store_, 1, 20), (Edge{false, 600, Version(3)}));
  EXPECT_EQ(LoadedEdge(*store_, 1, 21), (Edge{true, 501, Version(2)}));
  EXPECT_EQ(LoadedEdge(*store_, 9'223'372'036'854'775'807, 1),
            (Edge{true, 9'223'372'036'854'775'807, Version(4)}));
}

TEST_P(EdgeStoreContract, NewestRowsOfAFencedLaneAreNotWritten) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch newest = BatchOf(lane, 1, {Row(1, 20, true, 500, 1)});
  newest.edges_are_newest = true;
  TakeOne(*store_, FollowingLane(0));
  EXPECT_EQ(CodeName(store_->Commit(newest)), "fenced");
  EXPECT_EQ(LoadedEdge(*store_, 1, 20), Edge());
}

TEST_P(EdgeStoreContract, CountsMoveByTheirDeltasAndAreNotClamped) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  for (const int delta : {2, -3, -4}) {
    EdgeBatch batch = BatchOf(lane, 1);
    batch.counts.push_back({UserId(1), delta});
    CommitAndFollow(*store_, lane, batch);
  }
  EXPECT_EQ(LoadedCount(*store_, 1), -5);
}

TEST_P(EdgeStoreContract, LargestBatchIsCommittedAndLoaded) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  std::vector<EdgeRow> edges;
  std::vector<EdgeKey> keys;
  std::vector<UserId> users;
  for (std::uint64_t i = 1; i <= EdgeStore::kEdgesMax; ++i) {
    edges.push_back(Row(i, i + 1, true, 7, static_cast<std::int64_t>(i)));
    keys.push_back(edges.back().key);
    users.push_back(UserId(i));
  }
  CommitAndFollow(*store_, lane, BatchOf(lane, static_cast<std::int64_t>(edges.size()), edges));
  const LoadedRows rows = Must(OpenEdges(*store_, projections::kFollowing, kG1)->Load(keys, users));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ASSERT_EQ(rows.edges[i], edges[i].edge) << i;
    ASSERT_EQ(rows.counts[i], EdgeCount(1)) << i;
  }
}

}  // namespace fanfold::testing
