#include "common/sql/lane_orders.h"

#include <gtest/gtest.h>

#include "common/sql/failure.h"

namespace fanfold {
namespace {

LaneRow RowIn(LaneState state) {
  LaneRow row;
  row.lane = {projections::kFans, Generation(1), Partition(3)};
  row.fence = {7, 99};
  row.state = state;
  row.state_reason = state == LaneState::kRunning ? "" : "why";
  row.owner = "host/1";
  row.progress = {Offset(12), Offset(10), Offset(12), Offset(9), {Offset(8), 77}, {Offset(11), 78}};
  return row;
}

void ExpectFenced(const LaneRow& row) {
  EXPECT_EQ(row.fence.epoch, 8U);
  EXPECT_NE(row.fence.nonce, 99U);
  // By its name the owner sees that nobody has taken the lane over.
  EXPECT_EQ(row.owner, "host/1");
}

TEST(LaneOrders, RunningLaneIsPausedWithItsReason) {
  const LaneRow row = Paused(RowIn(LaneState::kRunning), "lunch");
  EXPECT_EQ(row.state, LaneState::kPaused);
  EXPECT_EQ(row.state_reason, "lunch");
  ExpectFenced(row);
}

TEST(LaneOrders, PausedLaneStaysAsItIs) {
  const LaneRow row = Paused(RowIn(LaneState::kPaused), "lunch");
  EXPECT_EQ(row.state_reason, "why");
  EXPECT_EQ(row.fence.epoch, 7U);
}

TEST(LaneOrders, HaltedLaneIsNotPaused) {
  const auto paused = ResultOf([] { return Paused(RowIn(LaneState::kHalted), "lunch"); });
  ASSERT_FALSE(paused);
  EXPECT_EQ(paused.error().code, ErrorCode::kRefused);
  EXPECT_EQ(paused.error().message, "fans/g1/3 is halted already (why)");
}

TEST(LaneOrders, PausedAndHaltedLanesAreResumed) {
  for (const LaneState state : {LaneState::kPaused, LaneState::kHalted}) {
    const LaneRow row = Resumed(RowIn(state));
    EXPECT_EQ(row.state, LaneState::kRunning);
    EXPECT_EQ(row.state_reason, "");
    EXPECT_EQ(row.progress, RowIn(state).progress);
    ExpectFenced(row);
  }
  EXPECT_EQ(Resumed(RowIn(LaneState::kRunning)).fence.epoch, 7U);
}

TEST(LaneOrders, RewindBringsEveryPlaceDownToTheEventAndKeepsWhatIsKnownOfTheLog) {
  const LaneRow row = Rewound(RowIn(LaneState::kHalted), Offset(10));
  EXPECT_EQ(row.progress,
            (LaneProgress{
                Offset(10), Offset(10), Offset(10), Offset(9), {Offset(8), 77}, {Offset(11), 78}}));
  EXPECT_EQ(row.state, LaneState::kHalted);
  ExpectFenced(row);
}

TEST(LaneOrders, RewindDoesNotGoForward) {
  const auto rewound = ResultOf([] { return Rewound(RowIn(LaneState::kRunning), Offset(11)); });
  ASSERT_FALSE(rewound);
  EXPECT_EQ(rewound.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rewound.error().message, "fans/g1/3 stands at 10 and can only be rewound to below it");
}

LaneRow Applying(std::int64_t generation, const RecordMark& event_mark) {
  LaneRow row = RowIn(LaneState::kRunning);
  row.lane = {projections::kFollowing, Generation(static_cast<std::int32_t>(generation)),
              Partition(3)};
  row.progress.event_mark = event_mark;
  return row;
}

TEST(LaneOrders, WhoBeginsToDecideKnowsTheLastEventThatAnyKnew) {
  const LaneRow own = Applying(2, {Offset(3), 70});
  const LaneRow before = Applying(1, {Offset(9), 71});
  const LaneRow unknown = Applying(3, {Offset(20), 0});
  const auto decider = StartedDeciding(std::vector{before, own, unknown}, own.lane, own.fence);
  ASSERT_TRUE(decider);
  EXPECT_EQ(decider->progress.event_mark, (RecordMark{Offset(9), 71}));
  EXPECT_EQ(decider->progress.next_offset, own.progress.event_offset);
}

TEST(LaneOrders, ABuildOfBeforeIsToldTheDigestBeforeThePositionOnly) {
  LaneProgress progress = RowIn(LaneState::kRunning).progress;
  EXPECT_EQ(LastDigest(progress, kApplying), 78);
  EXPECT_EQ(LastDigest(progress, kDeciding), 0);
  progress.next_offset = Offset(9);
  EXPECT_EQ(LastDigest(progress, kDeciding), 77);
}

}  // namespace
}  // namespace fanfold
