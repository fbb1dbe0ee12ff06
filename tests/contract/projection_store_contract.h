// What every ProjectionStore does. An adapter's test includes this and instantiates
// ProjectionStoreContract with its TablesFactory.
#pragma once

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

using namespace std::string_literals;

class ProjectionStoreContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  ProjectionStoreContract() : tables_(GetParam().make()), store_(tables_->NewStore()) {}

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<ProjectionStore> store_;
};

TEST_P(ProjectionStoreContract, NewLaneStartsAtOffsetZeroRunningWithTheRoleGiven) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(3), kDeciding);
  EXPECT_EQ(lane.lane, FollowingLane(3));
  EXPECT_EQ(lane.deciding, kDeciding);
  EXPECT_EQ(lane.state, LaneState::kRunning);
  EXPECT_EQ(lane.progress, LaneProgress{});
  EXPECT_TRUE(lane.outbox.empty());
  EXPECT_EQ(lane.fence.epoch, 1U);
}

TEST_P(ProjectionStoreContract, TakenAgainItDecidesAsBeforeAndTheEpochIsBumped) {
  const TakenLane first = TakeOne(*store_, FollowingLane(3), kDeciding);
  const TakenLane second = TakeOne(*store_, FollowingLane(3), kApplying);
  EXPECT_EQ(second.deciding, kDeciding);
  EXPECT_EQ(second.fence.epoch, first.fence.epoch + 1);
  EXPECT_NE(second.fence.nonce, first.fence.nonce);
}

TEST_P(ProjectionStoreContract, TakesLanesOfBothProjectionsAtOnceByKey) {
  const std::vector<LaneId> asked = {FansLane(2), FollowingLane(2), FansLane(1)};
  const auto taken = Must(store_->TakeFences(asked, kApplying, "tester"));
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[0].lane, FollowingLane(2));
  EXPECT_EQ(taken[1].lane, FansLane(1));
  EXPECT_EQ(taken[2].lane, FansLane(2));
  std::vector<LaneFence> held;
  for (const TakenLane& lane : taken) held.push_back({lane.lane, lane.fence});
  EXPECT_THAT(Must(store_->FenceStatesOf(held, "tester")), ::testing::Each(FenceState::kHeld));
}

TEST_P(ProjectionStoreContract, AThousandLanesAreTakenMovedAndReleasedAtOnce) {
  std::vector<LaneId> asked;
  for (std::int32_t p = 0; p < 1024; ++p) asked.push_back(FollowingLane(p));
  (void)Must(store_->TakeFences(asked, kDeciding, "tester"));
  std::vector<TakenLane> lanes = Must(store_->TakeFences(asked, kDeciding, "tester"));
  StoreBatch batch = BatchOf(lanes.front(), 1);
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    batch.moves.push_back(BatchOf(lanes[i], 1 + static_cast<std::int64_t>(i)).moves.front());
  }
  ASSERT_TRUE(store_->Commit(batch));
  std::vector<LaneFence> held;
  for (const LaneMove& move : batch.moves) {
    held.push_back({move.lane, move.fence, move.to.next_offset});
  }
  EXPECT_THAT(Must(store_->FenceStatesOf(held, "tester")), ::testing::Each(FenceState::kHeld));
  EXPECT_EQ(store_->Commit(batch).error().code, ErrorCode::kFenced);
  store_->Release(held);
  for (const LaneStatus& lane : Must(tables_->NewReader()->Lanes())) EXPECT_EQ(lane.owner, "");
}

TEST_P(ProjectionStoreContract, LoadGivesRowsInTheOrderAskedAndZerosWhereThereIsNone) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane,
                  BatchOf(lane, 3, {Row(1, 20, true, 500, 1), Row(7, 9, false, 600, 3)}));
  const std::vector<EdgeKey> keys = {{UserId(1), UserId(10)},
                                     {UserId(1), UserId(20)},
                                     {UserId(5), UserId(1)},
                                     {UserId(7), UserId(9)},
                                     {UserId(8), UserId(9)}};
  const std::vector<UserId> users = {UserId(1), UserId(5), UserId(7)};
  const LoadedRows rows = Must(store_->Load(projections::kFollowing, kG1, keys, users));
  const std::vector<Edge> edges = {{}, {true, 500, Version(1)}, {}, {false, 600, Version(3)}, {}};
  EXPECT_EQ(rows.edges, edges);
  EXPECT_EQ(rows.counts, (std::vector{EdgeCount(1), EdgeCount(0), EdgeCount(0)}));
}

TEST_P(ProjectionStoreContract, LoadOfNothingIsNothing) {
  const LoadedRows rows = Must(store_->Load(projections::kFans, kG1, {}, {}));
  EXPECT_TRUE(rows.edges.empty());
  EXPECT_TRUE(rows.counts.empty());
}

TEST_P(ProjectionStoreContract, ListsHoldEveryRowOfTheirUsersByKey) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const std::vector<EdgeRow> written = {Row(1, 20, true, 500, 1), Row(1, 30, false, 501, 2),
                                        Row(2, 5, true, 502, 3), Row(7, 9, true, 600, 4)};
  CommitAndFollow(*store_, lane, BatchOf(lane, 4, written));
  const std::vector<UserId> users = {UserId(1), UserId(5), UserId(7)};
  const auto lists = Must(store_->LoadLists(projections::kFollowing, kG1, users, 3));
  ASSERT_TRUE(lists.has_value());
  ASSERT_EQ(lists->size(), 3U);
  const std::vector<std::size_t> expected = {0, 1, 3};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*lists)[i].key, written[expected[i]].key);
    EXPECT_EQ((*lists)[i].edge, written[expected[i]].edge);
  }
}

TEST_P(ProjectionStoreContract, ListsOfMoreRowsThanAllowedAreNotGiven) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane,
                  BatchOf(lane, 2, {Row(1, 20, true, 500, 1), Row(2, 30, true, 501, 2)}));
  const std::vector<UserId> users = {UserId(1), UserId(2)};
  EXPECT_TRUE(Must(store_->LoadLists(projections::kFollowing, kG1, users, 2)).has_value());
  EXPECT_FALSE(Must(store_->LoadLists(projections::kFollowing, kG1, users, 1)).has_value());
}

TEST_P(ProjectionStoreContract, IdsUpToTheirLargestSurvive) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(kUserIdMax, kUserIdMax - 1, true, 0, 1)}));
  EXPECT_EQ(LoadedEdge(*store_, kUserIdMax, kUserIdMax - 1), (Edge{true, 0, Version(1)}));
  EXPECT_EQ(LoadedCount(*store_, kUserIdMax), 1);
}

TEST_P(ProjectionStoreContract, CommitMovesAllOfTheProgress) {
  TakenLane lane = TakeOne(*store_, FollowingLane(4));
  StoreBatch batch = BatchOf(lane, 10);
  const LaneProgress to{Offset(10), Offset(9), Offset(8), Offset(7), ~std::uint64_t{0}};
  batch.moves[0].to = to;
  CommitAndFollow(*store_, lane, batch);
  EXPECT_EQ(TakeOne(*store_, FollowingLane(4)).progress, to);
}

TEST_P(ProjectionStoreContract, BothProjectionsKeepTheirRowsApart) {
  TakenLane following = TakeOne(*store_, FollowingLane(0));
  TakenLane fans = TakeOne(*store_, FansLane(0), kApplying);
  CommitAndFollow(*store_, following, BatchOf(following, 1, {Row(1, 2, true, 5, 1)}));
  CommitAndFollow(*store_, fans, BatchOf(fans, 1, {Row(2, 1, true, 5, 1)}));
  EXPECT_EQ(LoadedEdge(*store_, 1, 2).version, Version(1));
  EXPECT_EQ(LoadedEdge(*store_, 2, 1).version, Version(0));
  EXPECT_EQ(LoadedEdge(*store_, 2, 1, projections::kFans).version, Version(1));
  EXPECT_EQ(LoadedCount(*store_, 2, projections::kFans), 1);
}

TEST_P(ProjectionStoreContract, RowAtOrAboveTheWrittenVersionStays) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 5, {Row(1, 2, true, 500, 5)}));
  for (const std::int64_t version : {4, 5}) {
    StoreBatch late = BatchOf(lane, 1, {Row(1, 2, false, 999, version)});
    CommitAndFollow(*store_, lane, late);
    EXPECT_EQ(LoadedEdge(*store_, 1, 2), (Edge{true, 500, Version(5)})) << version;
  }
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, false, 999, 6)}));
  EXPECT_EQ(LoadedEdge(*store_, 1, 2), (Edge{false, 999, Version(6)}));
}

TEST_P(ProjectionStoreContract, NewestRowsReplaceThoseThatAreThere) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane,
                  BatchOf(lane, 2, {Row(1, 20, true, 500, 1), Row(1, 21, true, 501, 2)}));
  StoreBatch newest =
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

TEST_P(ProjectionStoreContract, NewestRowsOfAFencedLaneAreNotWritten) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  StoreBatch newest = BatchOf(lane, 1, {Row(1, 20, true, 500, 1)});
  newest.edges_are_newest = true;
  TakeOne(*store_, FollowingLane(0));
  EXPECT_EQ(CodeName(store_->Commit(newest)), "fenced");
  EXPECT_EQ(LoadedEdge(*store_, 1, 20), Edge());
}

TEST_P(ProjectionStoreContract, CountsMoveByTheirDeltasAndAreNotClamped) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  for (const int delta : {2, -3, -4}) {
    StoreBatch batch = BatchOf(lane, 1);
    batch.counts.push_back({UserId(1), delta});
    CommitAndFollow(*store_, lane, batch);
  }
  EXPECT_EQ(LoadedCount(*store_, 1), -5);
}

TEST_P(ProjectionStoreContract, LargestBatchIsCommittedAndLoaded) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  std::vector<EdgeRow> edges;
  std::vector<EdgeKey> keys;
  std::vector<UserId> users;
  for (std::uint64_t i = 1; i <= ProjectionStore::kBatchEdgesMax; ++i) {
    edges.push_back(Row(i, i + 1, true, 7, static_cast<std::int64_t>(i)));
    keys.push_back(edges.back().key);
    users.push_back(UserId(i));
  }
  CommitAndFollow(*store_, lane, BatchOf(lane, static_cast<std::int64_t>(edges.size()), edges));
  const LoadedRows rows = Must(store_->Load(projections::kFollowing, kG1, keys, users));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ASSERT_EQ(rows.edges[i], edges[i].edge) << i;
    ASSERT_EQ(rows.counts[i], EdgeCount(1)) << i;
  }
}

TEST_P(ProjectionStoreContract, SecondOwnerFencesTheFirst) {
  TakenLane first = TakeOne(*store_, FollowingLane(0));
  const auto other_store = tables_->NewStore();
  TakenLane second = TakeOne(*other_store, FollowingLane(0));
  const Status late = store_->Commit(BatchOf(first, 1, {Row(1, 2, true, 5, 1)}));
  EXPECT_EQ(CodeName(late), ToString(ErrorCode::kFenced));
  EXPECT_NE(late.error().message.find("following/g1/0"), std::string::npos) << late.error().message;
  EXPECT_EQ(LoadedEdge(*store_, 1, 2), Edge{});
  EXPECT_EQ(LoadedCount(*store_, 1), 0);
  CommitAndFollow(*other_store, second, BatchOf(second, 1, {Row(1, 2, true, 5, 1)}));
}

struct FenceCase {
  const char* name;
  void (*spoil)(LaneMove&);
  bool fenced;
};
inline const std::vector<FenceCase>& FenceCases() {
  static const std::vector<FenceCase> cases = {
      {"nothing spoilt", [](LaneMove&) {}, false},
      {"another epoch", [](LaneMove& move) { ++move.fence.epoch; }, true},
      {"another nonce", [](LaneMove& move) { move.fence.nonce ^= 1; }, true},
      {"another role", [](LaneMove& move) { move.deciding = kApplying; }, true},
      {"an older offset",
       [](LaneMove& move) { move.from_next_offset = Offset(move.from_next_offset.value - 1); },
       true},
      {"a lane never taken", [](LaneMove& move) { move.lane.partition = Partition(9); }, true}};
  return cases;
}

TEST_P(ProjectionStoreContract, CommitIsFencedByEachOfTokenOffsetAndRole) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 5));
  std::uint64_t user = 100;
  for (const FenceCase& test : FenceCases()) {
    StoreBatch batch = BatchOf(lane, 1, {Row(++user, 2, true, 5, 6)});
    test.spoil(batch.moves[0]);
    const Status status = store_->Commit(batch);
    EXPECT_EQ(CodeName(status), test.fenced ? ToString(ErrorCode::kFenced) : "ok") << test.name;
    EXPECT_EQ(LoadedEdge(*store_, user, 2).active, !test.fenced) << test.name;
    EXPECT_EQ(LoadedCount(*store_, user), test.fenced ? 0 : 1) << test.name;
    if (status) lane.progress = batch.moves[0].to;
  }
}

TEST_P(ProjectionStoreContract, LanesThatDoNotRunAreFencedWithTheReason) {
  for (const LaneState state : {LaneState::kHalted, LaneState::kPaused}) {
    const TakenLane lane = TakeOne(*store_, FollowingLane(0));
    ASSERT_TRUE(store_->SetState(lane.lane, lane.fence, state, "log_mismatch"));
    const Status status = store_->Commit(BatchOf(lane, 1));
    EXPECT_EQ(CodeName(status), ToString(ErrorCode::kFenced));
    EXPECT_NE(status.error().message.find("log_mismatch"), std::string::npos);
    const TakenLane again = TakeOne(*store_, FollowingLane(0));
    EXPECT_EQ(again.state, state);
    EXPECT_EQ(again.state_reason, "log_mismatch");
    ASSERT_TRUE(store_->SetState(again.lane, again.fence, LaneState::kRunning, ""));
    EXPECT_TRUE(store_->Commit(BatchOf(again, 1)));
  }
}

TEST_P(ProjectionStoreContract, StateIsSetByTheOwnerAlone) {
  const TakenLane first = TakeOne(*store_, FollowingLane(0));
  const TakenLane second = TakeOne(*store_, FollowingLane(0));
  EXPECT_EQ(CodeName(store_->SetState(first.lane, first.fence, LaneState::kHalted, "late")),
            ToString(ErrorCode::kFenced));
  EXPECT_TRUE(store_->SetState(second.lane, second.fence, LaneState::kHalted, "it's 'quoted' \\"));
  EXPECT_TRUE(store_->SetState(second.lane, second.fence, LaneState::kHalted, "it's 'quoted' \\"));
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).state_reason, "it's 'quoted' \\");
}

TEST_P(ProjectionStoreContract, BatchOfSeveralLanesMovesThemAll) {
  auto lanes = Must(
      store_->TakeFences(std::vector{FansLane(0), FansLane(1), FansLane(2)}, kApplying, "tester"));
  StoreBatch batch = BatchOf(lanes[0], 1, {Row(5, 6, true, 1, 1)});
  batch.moves.push_back(BatchOf(lanes[1], 20).moves[0]);
  batch.moves.push_back(BatchOf(lanes[2], 300).moves[0]);
  ASSERT_TRUE(store_->Commit(batch));
  lanes = Must(
      store_->TakeFences(std::vector{FansLane(0), FansLane(1), FansLane(2)}, kApplying, "tester"));
  EXPECT_EQ(lanes[0].progress.next_offset, Offset(1));
  EXPECT_EQ(lanes[1].progress.next_offset, Offset(20));
  EXPECT_EQ(lanes[2].progress.next_offset, Offset(300));
}

TEST_P(ProjectionStoreContract, BatchWithOneFencedLaneMovesNone) {
  auto lanes = Must(store_->TakeFences(std::vector{FansLane(0), FansLane(1)}, kApplying, "tester"));
  StoreBatch batch = BatchOf(lanes[0], 1, {Row(5, 6, true, 1, 1)});
  batch.moves.push_back(BatchOf(lanes[1], 1).moves[0]);
  TakeOne(*store_, FansLane(1));
  const Status status = store_->Commit(batch);
  EXPECT_EQ(CodeName(status), ToString(ErrorCode::kFenced));
  EXPECT_NE(status.error().message.find("fans/g1/1"), std::string::npos);
  EXPECT_EQ(status.error().message.find("fans/g1/0"), std::string::npos);
  EXPECT_EQ(LoadedEdge(*store_, 5, 6, projections::kFans), Edge{});
  EXPECT_EQ(TakeOne(*store_, FansLane(0)).progress.next_offset, Offset(0));
}

TEST_P(ProjectionStoreContract, OutboxIsKeptUntilItIsPublished) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const std::string bytes = "{\"v\":1,\"it's\":\"\\\"}\n\0\xff%"s;
  for (int i = 0; i < 3; ++i) {
    StoreBatch batch = BatchOf(lane, 10);
    const LaneMove& move = batch.moves[0];
    batch.outbox.push_back({lane.lane.partition, kG1, move.from_next_offset, move.to.next_offset,
                            bytes + std::to_string(i)});
    CommitAndFollow(*store_, lane, batch);
  }
  const auto outbox = TakeOne(*store_, FollowingLane(0)).outbox;
  ASSERT_EQ(outbox.size(), 3U);
  EXPECT_EQ(outbox[2].first, Offset(20));
  EXPECT_EQ(outbox[2].next, Offset(30));
  EXPECT_EQ(outbox[2].outcomes, bytes + "2");

  for (const auto& [published, left] :
       std::vector<std::pair<std::int64_t, std::size_t>>{{9, 3}, {10, 2}, {29, 1}, {30, 0}}) {
    TakenLane now = TakeOne(*store_, FollowingLane(0));
    StoreBatch batch = BatchOf(now, 0);
    batch.moves[0].to.published_offset = Offset(published);
    CommitAndFollow(*store_, now, batch);
    EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).outbox.size(), left) << published;
  }
}

TEST_P(ProjectionStoreContract, PublishingOneLaneLeavesTheOutboxOfOthers) {
  auto lanes = Must(
      store_->TakeFences(std::vector{FollowingLane(0), FollowingLane(1)}, kDeciding, "tester"));
  for (TakenLane& lane : lanes) {
    StoreBatch batch = BatchOf(lane, 5);
    batch.outbox.push_back({lane.lane.partition, kG1, Offset(0), Offset(5), "x"});
    CommitAndFollow(*store_, lane, batch);
  }
  StoreBatch publish = BatchOf(lanes[0], 0);
  publish.moves[0].to.published_offset = Offset(5);
  CommitAndFollow(*store_, lanes[0], publish);
  EXPECT_TRUE(TakeOne(*store_, FollowingLane(0)).outbox.empty());
  EXPECT_EQ(TakeOne(*store_, FollowingLane(1)).outbox.size(), 1U);
}

TEST_P(ProjectionStoreContract, FencedBatchLeavesNeitherOutboxNorParkedRows) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(0));
  StoreBatch batch = BatchOf(lane, 1);
  batch.outbox.push_back({lane.lane.partition, kG1, Offset(0), Offset(1), "x"});
  batch.parked.push_back({lane.lane, Offset(0), ParkReason::kMalformed, "", "", "", 0});
  batch.moves[0].fence.nonce ^= 1;
  ASSERT_EQ(CodeName(store_->Commit(batch)), ToString(ErrorCode::kFenced));
  EXPECT_TRUE(TakeOne(*store_, FollowingLane(0)).outbox.empty());
  const auto parked =
      Must(tables_->NewReader()->ParkedAt(projections::kFollowing, Partition(0), Offset(0)));
  EXPECT_FALSE(parked.has_value());
}

TEST_P(ProjectionStoreContract, ParkingARecordAgainIsFine) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  for (int i = 0; i < 2; ++i) {
    StoreBatch batch = BatchOf(lane, 1);
    batch.parked.push_back({lane.lane, Offset(0), ParkReason::kTooLarge, "big", "id", "7", 12});
    CommitAndFollow(*store_, lane, batch);
  }
  const auto parked = Must(tables_->NewReader()->Parked(projections::kFollowing, {}, 10));
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(parked[0].offset, Offset(0));
  EXPECT_EQ(lane.progress.next_offset, Offset(2));
}

// Of bytes that are longer as SQL text, and in all above what a server takes at once.
TEST_P(ProjectionStoreContract, TheLargestParkedRowsOfABatchAreTaken) {
  constexpr std::int64_t kEvents = 12'000;
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  StoreBatch batch = BatchOf(lane, kEvents);
  for (std::int64_t offset = 0; offset < kEvents; ++offset) {
    batch.parked.push_back({lane.lane, Offset(offset), ParkReason::kTooLarge,
                            std::string(512, '\''), std::string(64, 'e'),
                            std::string(kParkedKeyBytesMax, '\\'), 12});
  }
  CommitAndFollow(*store_, lane, batch);
}

TEST_P(ProjectionStoreContract, TheLargestOutboxOfABatchIsTaken) {
  constexpr std::size_t kRows = 9;
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  StoreBatch batch = BatchOf(lane, static_cast<std::int64_t>(kRows));
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto first = static_cast<std::int64_t>(row);
    batch.outbox.push_back({Partition(0), kG1, Offset(first), Offset(first + 1),
                            std::string(kOutboxRowBytesMax + 1'000, '\'')});
  }
  CommitAndFollow(*store_, lane, batch);
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).outbox.size(), kRows);
}

TEST_P(ProjectionStoreContract, HeldBumpedAndTakenOverFencesAreToldApart) {
  const std::vector<LaneId> ids = {FollowingLane(0), FollowingLane(1), FollowingLane(2)};
  const auto lanes = Must(store_->TakeFences(ids, kDeciding, "tester"));
  TakeOne(*store_, FollowingLane(1));
  (void)Must(store_->TakeFences(std::vector{FollowingLane(2)}, kDeciding, "another"));
  const std::vector<LaneFence> held = {{lanes[1].lane, lanes[1].fence},
                                       {lanes[0].lane, lanes[0].fence},
                                       {lanes[2].lane, lanes[2].fence},
                                       {FollowingLane(9), {1, 1}},
                                       {lanes[0].lane, lanes[0].fence, Offset(0)},
                                       {lanes[0].lane, lanes[0].fence, Offset(7)}};
  EXPECT_EQ(Must(store_->FenceStatesOf(held, "tester")),
            (std::vector{FenceState::kBumped, FenceState::kHeld, FenceState::kTakenOver,
                         FenceState::kTakenOver, FenceState::kHeld, FenceState::kBumped}));
  EXPECT_TRUE(Must(store_->FenceStatesOf({}, "tester")).empty());
}

TEST_P(ProjectionStoreContract, ReleaseForgetsTheOwnersNameUnlessFenced) {
  const auto lanes = Must(
      store_->TakeFences(std::vector{FollowingLane(0), FollowingLane(1)}, kDeciding, "tester"));
  Must(store_->TakeFences(std::vector{FollowingLane(1)}, kDeciding, "successor"));
  store_->Release(
      std::vector<LaneFence>{{lanes[0].lane, lanes[0].fence}, {lanes[1].lane, lanes[1].fence}});
  const auto status = Must(tables_->NewReader()->Lanes());
  ASSERT_EQ(status.size(), 2U);
  EXPECT_EQ(status[0].owner, "");
  EXPECT_EQ(status[1].owner, "successor");
}

TEST_P(ProjectionStoreContract, TwoDecidersOfAPartitionAreBothHaltedAndNoOtherLane) {
  const TakenLane old = TakeOne(*store_, FollowingLane(0), kDeciding);
  TakeOne(*store_, FollowingLane(1), kDeciding);
  FoldSecondGeneration(*tables_);
  const auto taken = Must(store_->TakeFences(
      std::vector{FollowingLane(0, Generation(2)), FollowingLane(2, Generation(2))}, kDeciding,
      "tester"));
  EXPECT_EQ(taken.at(0).state, LaneState::kHalted);
  EXPECT_EQ(taken.at(0).state_reason, "two_deciders");
  EXPECT_EQ(taken.at(1).state, LaneState::kRunning);
  for (const LaneStatus& lane : Must(tables_->NewReader()->Lanes())) {
    const bool both = lane.lane.partition == Partition(0);
    EXPECT_EQ(lane.state, both ? LaneState::kHalted : LaneState::kRunning);
    EXPECT_EQ(lane.state_reason, both ? "two_deciders" : "");
  }
  EXPECT_EQ(CodeName(store_->Commit(BatchOf(old, 1))), ToString(ErrorCode::kFenced));
}

TEST_P(ProjectionStoreContract, GenerationsThatApplyBesideTheDeciderAreTaken) {
  TakeOne(*store_, FollowingLane(0), kDeciding);
  FoldSecondGeneration(*tables_);
  const auto both = Must(store_->TakeFences(
      std::vector{FollowingLane(0), FollowingLane(0, Generation(2))}, kApplying, "t"));
  EXPECT_EQ(both.at(0).deciding, kDeciding);
  EXPECT_EQ(both.at(1).deciding, kApplying);
}

}  // namespace fanfold::testing
