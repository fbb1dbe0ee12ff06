#include "common/sql/lane_claims.h"

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
  row.token = {41, 5};
  return row;
}

TEST(LaneClaims, LanesComeByKeyEachOnce) {
  EXPECT_EQ(SortedUnique(std::vector{Fans(1), Following(2, 0), Fans(1), Following(1, 7)}),
            (std::vector{Following(1, 7), Following(2, 0), Fans(1)}));
}

TEST(LaneClaims, LanesWithoutRowAreNew) {
  EXPECT_EQ(WithoutRow(std::vector{Fans(1), Fans(2)}, std::vector{RowOf(Fans(1)), RowOf(Fans(3))}),
            std::vector{Fans(2)});
}

TEST(LaneClaims, TakingOverBumpsTheEpochAndDrawsANonce) {
  const std::vector asked = {Fans(1), Fans(2)};
  std::vector rows = {RowOf(Fans(1)), RowOf(Fans(2))};
  const auto claimed = TakenOver(asked, rows);
  ASSERT_EQ(claimed.size(), 2U);
  EXPECT_EQ(claimed[1].lane, Fans(2));
  EXPECT_EQ(claimed[0].token.epoch, 42U);
  EXPECT_NE(claimed[0].token.nonce, claimed[1].token.nonce);
}

TEST(LaneClaims, LaneThatWentAwayIsAConflict) {
  const std::vector asked = {Fans(1), Fans(2)};
  std::vector rows = {RowOf(Fans(1))};
  const auto claimed = ResultOf([&] { return TakenOver(asked, rows); });
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().code, ErrorCode::kConflict);
}

TEST(LaneClaims, OnlyGenerationsOfOnePartitionShareTheSeat) {
  const std::vector deciders = {RowOf(Following(1, 0)), RowOf(Following(2, 0)),
                                RowOf(Following(1, 1)), RowOf(Following(2, 3))};
  EXPECT_EQ(SharingDeciders(deciders), (std::vector{Following(1, 0), Following(2, 0)}));
}

TEST(LaneClaims, WhatIsHaltedAlreadyIsNotHaltedAgain) {
  std::vector deciders = {RowOf(Following(1, 0)), RowOf(Following(2, 0))};
  deciders[0].state = LaneState::kHalted;
  EXPECT_EQ(SharingDeciders(deciders), std::vector{Following(2, 0)});
  deciders[1].state = LaneState::kHalted;
  EXPECT_EQ(SharingDeciders(deciders), std::vector<LaneId>());
}

TEST(LaneClaims, ClaimedLanesAreToldThatTheyAreHalted) {
  std::vector<ClaimedLane> claimed(2);
  claimed[0].lane = Following(1, 0);
  claimed[1].lane = Following(1, 1);
  SayTwoDeciders(std::vector{Following(1, 1), Following(2, 1)}, claimed);
  EXPECT_EQ(claimed[0].state, LaneState::kRunning);
  EXPECT_EQ(claimed[1].state, LaneState::kHalted);
  EXPECT_EQ(claimed[1].state_reason, kTwoDeciders);
}

TEST(LaneClaims, OutboxRowsGoToTheirLane) {
  std::vector<ClaimedLane> lanes(2);
  lanes[0].lane = Following(1, 0);
  lanes[1].lane = Following(1, 1);
  GiveOutboxRow(lanes, Following(1, 1), {Partition(1), Generation(1), Offset(3), Offset(5), "x"});
  GiveOutboxRow(lanes, Following(1, 9), {});
  EXPECT_TRUE(lanes[0].outbox.empty());
  ASSERT_EQ(lanes[1].outbox.size(), 1U);
  EXPECT_EQ(lanes[1].outbox[0].next, Offset(5));
}

TEST(LaneClaims, OnlyLanesOfFollowingDecide) {
  const std::vector<LaneId> lanes = {Fans(0), Following(1, 0), Following(2, 3)};
  const auto deciding = DecidingLanes(lanes);
  ASSERT_EQ(deciding.size(), 1u);
  EXPECT_EQ(deciding.at(projections::kFollowing), (std::vector{Following(1, 0), Following(2, 3)}));
}

}  // namespace
}  // namespace fanfold
