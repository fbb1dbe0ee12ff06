#include "common/sql/lane_fences.h"

#include <gtest/gtest.h>
#include <vector>

#include "common/sql/failure.h"

namespace fanfold {
namespace {

LaneId Following(std::int32_t generation, std::int32_t partition) {
  return {projections::kFollowing, Generation(generation), Partition(partition)};
}
LaneId Fans(std::int32_t partition) {
  return {projections::kFans, Generation(1), Partition(partition)};
}

LaneRow RowOf(const LaneId& lane) {
  LaneRow row;
  row.lane = lane;
  row.fence = {41, 5};
  return row;
}

TEST(LaneFences, LanesComeByKeyEachOnce) {
  EXPECT_EQ(SortedUnique(std::vector{Fans(1), Following(2, 0), Fans(1), Following(1, 7)}),
            (std::vector{Following(1, 7), Following(2, 0), Fans(1)}));
}

TEST(LaneFences, ProjectionsComeOneByOneInTheRegistrysOrder) {
  const std::vector sorted = {Following(1, 7), Following(2, 0), Fans(1), Fans(2)};
  const auto each = OfEachProjection(sorted);
  ASSERT_EQ(each.size(), 2U);
  EXPECT_EQ(each[0].size(), 2U);
  EXPECT_EQ(each[0].front(), Following(1, 7));
  EXPECT_EQ(each[1].front(), Fans(1));
  EXPECT_TRUE(OfEachProjection({}).empty());
}

TEST(LaneFences, LanesWithoutRowAreNew) {
  EXPECT_EQ(WithoutRow(std::vector{Fans(1), Fans(2)}, std::vector{RowOf(Fans(1)), RowOf(Fans(3))}),
            std::vector{Fans(2)});
}

TEST(LaneFences, TakingOverBumpsTheEpochAndDrawsANonce) {
  const std::vector asked = {Fans(1), Fans(2)};
  std::vector rows = {RowOf(Fans(1)), RowOf(Fans(2))};
  const auto taken = TakenOver(asked, rows);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[1].lane, Fans(2));
  EXPECT_EQ(taken[0].fence.epoch, 42U);
  EXPECT_NE(taken[0].fence.nonce, taken[1].fence.nonce);
}

TEST(LaneFences, LaneThatWentAwayIsAConflict) {
  const std::vector asked = {Fans(1), Fans(2)};
  std::vector rows = {RowOf(Fans(1))};
  const auto taken = ResultOf([&] { return TakenOver(asked, rows); });
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kConflict);
}

TEST(LaneFences, OnlyGenerationsOfOnePartitionShareADecider) {
  const std::vector deciders = {RowOf(Following(1, 0)), RowOf(Following(2, 0)),
                                RowOf(Following(1, 1)), RowOf(Following(2, 3))};
  EXPECT_EQ(SharingDeciders(deciders), (std::vector{Following(1, 0), Following(2, 0)}));
}

TEST(LaneFences, WhatIsHaltedAlreadyIsNotHaltedAgain) {
  std::vector deciders = {RowOf(Following(1, 0)), RowOf(Following(2, 0))};
  deciders[0].state = LaneState::kHalted;
  EXPECT_EQ(SharingDeciders(deciders), std::vector{Following(2, 0)});
  deciders[1].state = LaneState::kHalted;
  EXPECT_EQ(SharingDeciders(deciders), std::vector<LaneId>());
}

TEST(LaneFences, TakenLanesAreToldThatTheyAreHalted) {
  std::vector<TakenLane> taken(2);
  taken[0].lane = Following(1, 0);
  taken[1].lane = Following(1, 1);
  SayTwoDeciders(std::vector{Following(1, 1), Following(2, 1)}, taken);
  EXPECT_EQ(taken[0].state, LaneState::kRunning);
  EXPECT_EQ(taken[1].state, LaneState::kHalted);
  EXPECT_EQ(taken[1].state_reason, halt_reasons::kTwoDeciders.name());
}

TEST(LaneFences, OutboxRowsGoToTheirLane) {
  std::vector<TakenLane> lanes(2);
  lanes[0].lane = Following(1, 0);
  lanes[1].lane = Following(1, 1);
  GiveOutboxRow(lanes, Following(1, 1), {Partition(1), Generation(1), Offset(3), Offset(5), "x"});
  GiveOutboxRow(lanes, Following(1, 9), {});
  EXPECT_TRUE(lanes[0].outbox.empty());
  ASSERT_EQ(lanes[1].outbox.size(), 1U);
  EXPECT_EQ(lanes[1].outbox[0].next, Offset(5));
}

TEST(LaneFences, OnlyLanesOfFollowingDecide) {
  const std::vector<LaneId> lanes = {Fans(0), Following(1, 0), Following(2, 3)};
  const auto deciding = DecidingLanes(lanes);
  ASSERT_EQ(deciding.size(), 1u);
  EXPECT_EQ(deciding.at(projections::kFollowing), (std::vector{Following(1, 0), Following(2, 3)}));
}

}  // namespace
}  // namespace fanfold
