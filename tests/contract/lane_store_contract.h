// What every LaneStore does. An adapter's test includes this and instantiates
// LaneStoreContract with its TablesFactory.
#pragma once

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

using namespace std::string_literals;

class LaneStoreContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  LaneStoreContract() : tables_(GetParam().make()), store_(tables_->NewStore()) {}

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
};

TEST_P(LaneStoreContract, NewLaneStartsAtOffsetZeroRunningWithTheRoleGiven) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(3), kDeciding);
  EXPECT_EQ(lane.lane, FollowingLane(3));
  EXPECT_EQ(lane.deciding, kDeciding);
  EXPECT_EQ(lane.state, LaneState::kRunning);
  EXPECT_EQ(lane.progress, LaneProgress{});
  EXPECT_TRUE(lane.outbox.empty());
  EXPECT_EQ(lane.fence.epoch, 1U);
}

TEST_P(LaneStoreContract, TakenAgainItDecidesAsBeforeAndTheEpochIsBumped) {
  const TakenLane first = TakeOne(*store_, FollowingLane(3), kDeciding);
  const TakenLane second = TakeOne(*store_, FollowingLane(3), kApplying);
  EXPECT_EQ(second.deciding, kDeciding);
  EXPECT_EQ(second.fence.epoch, first.fence.epoch + 1);
  EXPECT_NE(second.fence.nonce, first.fence.nonce);
}

TEST_P(LaneStoreContract, TakesLanesOfBothProjectionsAtOnceByKey) {
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

TEST_P(LaneStoreContract, LanesOfTwoStreamsAreTwo) {
  LaneId other = FansLane(1);
  other.stream = streams::kUsers;
  auto taken = Must(store_->TakeFences(std::vector{FansLane(1), other}, kApplying, "tester"));
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].lane, FansLane(1));
  EXPECT_EQ(taken[1].lane, other);
  CommitAndFollow(*store_, taken[1], BatchOf(taken[1], 7));
  ASSERT_TRUE(store_->SetState(FansLane(1), taken[0].fence, LaneState::kHalted, "log_gap"));
  const auto lanes = Must(tables_->NewReader()->Lanes());
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].progress, LaneProgress{});
  EXPECT_EQ(lanes[0].state, LaneState::kHalted);
  EXPECT_EQ(lanes[1].lane, other);
  EXPECT_EQ(lanes[1].progress.next_offset, Offset(7));
  EXPECT_EQ(lanes[1].state, LaneState::kRunning);
}

TEST_P(LaneStoreContract, AThousandLanesAreTakenMovedAndReleasedAtOnce) {
  std::vector<LaneId> asked;
  for (std::int32_t p = 0; p < 1024; ++p) asked.push_back(FollowingLane(p));
  (void)Must(store_->TakeFences(asked, kDeciding, "tester"));
  std::vector<TakenLane> lanes = Must(store_->TakeFences(asked, kDeciding, "tester"));
  EdgeBatch batch = BatchOf(lanes.front(), 1);
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

TEST_P(LaneStoreContract, CommitMovesAllOfTheProgress) {
  TakenLane lane = TakeOne(*store_, FollowingLane(4));
  EdgeBatch batch = BatchOf(lane, 10);
  const LaneProgress to{
      Offset(10), Offset(9), Offset(8), Offset(7), {Offset(6), ~std::uint64_t{0}}, {Offset(5), 1}};
  batch.moves[0].to = to;
  CommitAndFollow(*store_, lane, batch);
  EXPECT_EQ(TakeOne(*store_, FollowingLane(4)).progress, to);
}

TEST_P(LaneStoreContract, SecondOwnerFencesTheFirst) {
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

TEST_P(LaneStoreContract, CommitIsFencedByEachOfTokenOffsetAndRole) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 5));
  std::uint64_t user = 100;
  for (const FenceCase& test : FenceCases()) {
    EdgeBatch batch = BatchOf(lane, 1, {Row(++user, 2, true, 5, 6)});
    test.spoil(batch.moves[0]);
    const Status status = store_->Commit(batch);
    EXPECT_EQ(CodeName(status), test.fenced ? ToString(ErrorCode::kFenced) : "ok") << test.name;
    EXPECT_EQ(LoadedEdge(*store_, user, 2).active, !test.fenced) << test.name;
    EXPECT_EQ(LoadedCount(*store_, user), test.fenced ? 0 : 1) << test.name;
    if (status) lane.progress = batch.moves[0].to;
  }
}

TEST_P(LaneStoreContract, LanesThatDoNotRunAreFencedWithTheReason) {
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

TEST_P(LaneStoreContract, StateIsSetByTheOwnerAlone) {
  const TakenLane first = TakeOne(*store_, FollowingLane(0));
  const TakenLane second = TakeOne(*store_, FollowingLane(0));
  EXPECT_EQ(CodeName(store_->SetState(first.lane, first.fence, LaneState::kHalted, "late")),
            ToString(ErrorCode::kFenced));
  EXPECT_TRUE(store_->SetState(second.lane, second.fence, LaneState::kHalted, "it's 'quoted' \\"));
  EXPECT_TRUE(store_->SetState(second.lane, second.fence, LaneState::kHalted, "it's 'quoted' \\"));
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).state_reason, "it's 'quoted' \\");
}

TEST_P(LaneStoreContract, BatchOfSeveralLanesMovesThemAll) {
  auto lanes = Must(
      store_->TakeFences(std::vector{FansLane(0), FansLane(1), FansLane(2)}, kApplying, "tester"));
  EdgeBatch batch = BatchOf(lanes[0], 1, {Row(5, 6, true, 1, 1)});
  batch.moves.push_back(BatchOf(lanes[1], 20).moves[0]);
  batch.moves.push_back(BatchOf(lanes[2], 300).moves[0]);
  ASSERT_TRUE(store_->Commit(batch));
  lanes = Must(
      store_->TakeFences(std::vector{FansLane(0), FansLane(1), FansLane(2)}, kApplying, "tester"));
  EXPECT_EQ(lanes[0].progress.next_offset, Offset(1));
  EXPECT_EQ(lanes[1].progress.next_offset, Offset(20));
  EXPECT_EQ(lanes[2].progress.next_offset, Offset(300));
}

TEST_P(LaneStoreContract, BatchWithOneFencedLaneMovesNone) {
  auto lanes = Must(store_->TakeFences(std::vector{FansLane(0), FansLane(1)}, kApplying, "tester"));
  EdgeBatch batch = BatchOf(lanes[0], 1, {Row(5, 6, true, 1, 1)});
  batch.moves.push_back(BatchOf(lanes[1], 1).moves[0]);
  TakeOne(*store_, FansLane(1));
  const Status status = store_->Commit(batch);
  EXPECT_EQ(CodeName(status), ToString(ErrorCode::kFenced));
  EXPECT_NE(status.error().message.find("fans/g1/1"), std::string::npos);
  EXPECT_EQ(status.error().message.find("fans/g1/0"), std::string::npos);
  EXPECT_EQ(LoadedEdge(*store_, 5, 6, projections::kFans), Edge{});
  EXPECT_EQ(TakeOne(*store_, FansLane(0)).progress.next_offset, Offset(0));
}

TEST_P(LaneStoreContract, OutboxIsKeptUntilItIsPublished) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const std::string bytes = "{\"v\":1,\"it's\":\"\\\"}\n\0\xff%"s;
  for (int i = 0; i < 3; ++i) {
    EdgeBatch batch = BatchOf(lane, 10);
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
    EdgeBatch batch = BatchOf(now, 0);
    batch.moves[0].to.published_offset = Offset(published);
    CommitAndFollow(*store_, now, batch);
    EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).outbox.size(), left) << published;
  }
}

TEST_P(LaneStoreContract, PublishingOneLaneLeavesTheOutboxOfOthers) {
  auto lanes = Must(
      store_->TakeFences(std::vector{FollowingLane(0), FollowingLane(1)}, kDeciding, "tester"));
  for (TakenLane& lane : lanes) {
    EdgeBatch batch = BatchOf(lane, 5);
    batch.outbox.push_back({lane.lane.partition, kG1, Offset(0), Offset(5), "x"});
    CommitAndFollow(*store_, lane, batch);
  }
  EdgeBatch publish = BatchOf(lanes[0], 0);
  publish.moves[0].to.published_offset = Offset(5);
  CommitAndFollow(*store_, lanes[0], publish);
  EXPECT_TRUE(TakeOne(*store_, FollowingLane(0)).outbox.empty());
  EXPECT_EQ(TakeOne(*store_, FollowingLane(1)).outbox.size(), 1U);
}

TEST_P(LaneStoreContract, FencedBatchLeavesNeitherOutboxNorParkedRows) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch = BatchOf(lane, 1);
  batch.outbox.push_back({lane.lane.partition, kG1, Offset(0), Offset(1), "x"});
  batch.parked.push_back({lane.lane, Offset(0), ParkReason::kMalformed, "", "", "", 0});
  batch.moves[0].fence.nonce ^= 1;
  ASSERT_EQ(CodeName(store_->Commit(batch)), ToString(ErrorCode::kFenced));
  EXPECT_TRUE(TakeOne(*store_, FollowingLane(0)).outbox.empty());
  const auto parked =
      Must(tables_->NewReader()->ParkedAt(projections::kFollowing, Partition(0), Offset(0)));
  EXPECT_FALSE(parked.has_value());
}

TEST_P(LaneStoreContract, ParkingARecordAgainIsFine) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  for (int i = 0; i < 2; ++i) {
    EdgeBatch batch = BatchOf(lane, 1);
    batch.parked.push_back({lane.lane, Offset(0), ParkReason::kTooLarge, "big", "id", "7", 12});
    CommitAndFollow(*store_, lane, batch);
  }
  const auto parked = Must(tables_->NewReader()->Parked(projections::kFollowing, {}, 10));
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(parked[0].offset, Offset(0));
  EXPECT_EQ(lane.progress.next_offset, Offset(2));
}

// Of bytes that are longer as SQL text, and in all above what a server takes at once.
TEST_P(LaneStoreContract, TheLargestParkedRowsOfABatchAreTaken) {
  constexpr std::int64_t kEvents = 12'000;
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch = BatchOf(lane, kEvents);
  for (std::int64_t offset = 0; offset < kEvents; ++offset) {
    batch.parked.push_back({lane.lane, Offset(offset), ParkReason::kTooLarge,
                            std::string(512, '\''), std::string(64, 'e'),
                            std::string(kParkedKeyBytesMax, '\\'), 12});
  }
  CommitAndFollow(*store_, lane, batch);
}

TEST_P(LaneStoreContract, TheLargestOutboxOfABatchIsTaken) {
  constexpr std::size_t kRows = 9;
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch = BatchOf(lane, static_cast<std::int64_t>(kRows));
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto first = static_cast<std::int64_t>(row);
    batch.outbox.push_back({Partition(0), kG1, Offset(first), Offset(first + 1),
                            std::string(kOutboxRowBytesMax + 1'000, '\'')});
  }
  CommitAndFollow(*store_, lane, batch);
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).outbox.size(), kRows);
}

TEST_P(LaneStoreContract, HeldBumpedAndTakenOverFencesAreToldApart) {
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

TEST_P(LaneStoreContract, ReleaseForgetsTheOwnersNameUnlessFenced) {
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

TEST_P(LaneStoreContract, TwoDecidersOfAPartitionAreBothHaltedAndNoOtherLane) {
  TakeOne(*store_, FollowingLane(1), kDeciding);
  FoldSecondGeneration(*tables_);
  const Generation second(2);
  // Made at once neither is there before the other.
  const auto taken = Must(store_->TakeFences(
      std::vector{FollowingLane(0), FollowingLane(0, second), FollowingLane(2, second)}, kDeciding,
      "tester"));
  for (const std::size_t sharing : {0U, 1U}) {
    EXPECT_EQ(taken.at(sharing).state, LaneState::kHalted);
    EXPECT_EQ(taken.at(sharing).state_reason, "two_deciders");
  }
  EXPECT_EQ(taken.at(2).state, LaneState::kRunning);
  for (const LaneStatus& lane : Must(tables_->NewReader()->Lanes())) {
    const bool both = lane.lane.partition == Partition(0);
    EXPECT_EQ(lane.state, both ? LaneState::kHalted : LaneState::kRunning);
    EXPECT_EQ(lane.state_reason, both ? "two_deciders" : "");
  }
  EXPECT_EQ(CodeName(store_->Commit(BatchOf(taken.at(0), 1))), ToString(ErrorCode::kFenced));
}

TEST_P(LaneStoreContract, LaneThatIsMadeBesideOneThatDecidesApplies) {
  FoldSecondGeneration(*tables_);
  const LaneId second = FollowingLane(0, Generation(2));
  EXPECT_EQ(TakeOne(*store_, second, kDeciding).deciding, kDeciding) << "nobody decides yet";
  TakenLane made = TakeOne(*store_, FollowingLane(0), kDeciding);
  EXPECT_EQ(made.deciding, kApplying);
  EXPECT_EQ(made.state, LaneState::kRunning);
  EXPECT_EQ(TakeOne(*store_, FollowingLane(1), kDeciding).deciding, kDeciding);
}

TEST_P(LaneStoreContract, GenerationsThatApplyBesideTheDeciderAreTaken) {
  TakeOne(*store_, FollowingLane(0), kDeciding);
  FoldSecondGeneration(*tables_);
  const auto both = Must(store_->TakeFences(
      std::vector{FollowingLane(0), FollowingLane(0, Generation(2))}, kApplying, "t"));
  EXPECT_EQ(both.at(0).deciding, kDeciding);
  EXPECT_EQ(both.at(1).deciding, kApplying);
}

}  // namespace fanfold::testing
