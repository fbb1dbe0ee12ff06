#include "operations/lanes/lanes.h"

#include <gtest/gtest.h>

#include "cli/inspect/wait.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using testing::RunningLane;

using projections::kFans;
using projections::kFollowing;
// Of relations alone.
operations::AllEnds EndsAt(std::int64_t first, std::int64_t second) {
  operations::AllEnds ends;
  for (const Topic topic : {topics::kRelationEvents, topics::kRelationOutcomes}) {
    ends[topic] = {Offset(first), Offset(second)};
  }
  return ends;
}
const operations::AllEnds kEnds = EndsAt(5, 7);
const Placement kTwoByTwo = Placement::Modulo({2, 2});

// All lanes of two partitions on two shards, at their ends.
std::vector<operations::ShardLane> CaughtUp() {
  std::vector<operations::ShardLane> lanes;
  for (std::int32_t p = 0; p < 2; ++p) {
    const std::int64_t end = kEnds[topics::kRelationEvents][static_cast<std::size_t>(p)].value;
    lanes.push_back({Shard(p), RunningLane(kFollowing, p, end)});
    for (std::int32_t s = 0; s < 2; ++s) lanes.push_back({Shard(s), RunningLane(kFans, p, end)});
  }
  return lanes;
}

TEST(LaggingLanes, NoneWhenEveryLaneIsAtItsEnd) {
  EXPECT_TRUE(operations::LaggingLanes(kEnds, {kTwoByTwo, {}}, CaughtUp()).empty());
}

TEST(LaggingLanes, EachLaneCounts) {
  for (std::size_t i = 0; i < CaughtUp().size(); ++i) {
    auto lanes = CaughtUp();
    lanes[i].status.progress.event_offset.value -= 2;
    const auto lagging = operations::LaggingLanes(kEnds, {kTwoByTwo, {}}, lanes);
    ASSERT_EQ(lagging.size(), 1U) << i;
    EXPECT_EQ(lagging[0].lane, lanes[i].status.lane);
    EXPECT_EQ(lagging[0].shard, lanes[i].shard);
    EXPECT_EQ(operations::EventsLacking(lagging), 2);
  }
}

TEST(LaggingLanes, OneThatHaltedAboveTheEndCounts) {
  auto lanes = CaughtUp();
  lanes[0].status.progress.event_offset.value += 3;
  EXPECT_TRUE(operations::LaggingLanes(kEnds, {kTwoByTwo, {}}, lanes).empty())
      << "events came after the ends were read";
  lanes[0].status.state = LaneState::kHalted;
  const auto lagging = operations::LaggingLanes(kEnds, {kTwoByTwo, {}}, lanes);
  ASSERT_EQ(lagging.size(), 1U);
  EXPECT_EQ(operations::EventsLacking(lagging), 0);
}

TEST(LaggingLanes, MissingRowsStandAtZero) {
  const auto lagging = operations::LaggingLanes(kEnds, {kTwoByTwo, {}}, {});
  ASSERT_EQ(lagging.size(), 6U);  // 2 of following, 2·2 of fans
  EXPECT_FALSE(lagging[0].status);
  EXPECT_EQ(operations::EventsLacking(lagging), 5 + 7 + 5 + 7);
}

TEST(LaggingLanes, EmptyPartitionsNeedNoRows) {
  EXPECT_TRUE(operations::LaggingLanes(EndsAt(0, 0), {kTwoByTwo, {}}, {}).empty());
}

TEST(LaggingLanes, OnlyTheReadGenerationCounts) {
  auto lanes = CaughtUp();
  lanes[0].status.progress.event_offset = Offset(1);
  lanes[0].status.lane.generation = Generation(2);
  lanes.push_back({Shard(0), RunningLane(kFollowing, 0, 5)});
  EXPECT_TRUE(operations::LaggingLanes(kEnds, {kTwoByTwo, {}}, lanes).empty());
  const ReadGenerations second{Generation(2), Generation(1)};
  EXPECT_EQ(operations::LaggingLanes(kEnds, {kTwoByTwo, second}, lanes).size(), 2U);
}

class WaitTest : public ::testing::Test {
 protected:
  WaitTest() {
    fake_.backend.log.Of(topics::kRelationEvents)[0].resize(5);
    shard().lanes = {RunningLane(kFollowing, 0, 5), RunningLane(kFans, 0, 5)};
  }
  testing::FakeShard& shard() { return fake_.backend.shard_states[0]; }
  ExitCode Wait(std::int64_t timeout_ms = 1000) { return RunWait(fake_.session, {timeout_ms}); }
  [[nodiscard]] bool Said(const std::string& text) const {
    return fake_.err.text().find(text) != std::string::npos;
  }
  FakeSession fake_{1};
};

TEST_F(WaitTest, ReturnsAtOnceWhenCaughtUp) {
  EXPECT_EQ(Wait(), ExitCode::kFine);
  EXPECT_EQ(shard().polls, 1);
}

TEST_F(WaitTest, PollsUntilTheLaneArrives) {
  shard().lanes[1].progress.event_offset = Offset(2);
  shard().on_poll = [](testing::FakeShard& shard) {
    if (shard.polls == 3) shard.lanes[1].progress.event_offset = Offset(5);
  };
  EXPECT_EQ(Wait(), ExitCode::kFine);
  EXPECT_EQ(shard().polls, 3);
}

TEST_F(WaitTest, TheReaderHasToFollowToo) {
  fake_.backend.reader_reached = false;
  shard().on_poll = [this](testing::FakeShard& shard) {
    fake_.backend.reader_reached = shard.polls == 3;
  };
  EXPECT_EQ(Wait(), ExitCode::kFine);
  EXPECT_EQ(shard().polls, 3);
  EXPECT_EQ(fake_.backend.asked_of_reader,
            (std::vector{StreamPosition{streams::kRelations, {Partition(0), Offset(4)}}}));
}

TEST_F(WaitTest, AReaderThatDoesNotFollowIsNamed) {
  fake_.backend.reader_reached = false;
  fake_.session.json = true;
  EXPECT_EQ(Wait(), ExitCode::kDifferent);
  EXPECT_TRUE(Said("the reader has not followed yet"));
  EXPECT_NE(fake_.out.text().find(R"("reader_lags":true)"), std::string::npos);
}

TEST_F(WaitTest, OneBeforeAnotherVerbLeavesTheAnswerToIt) {
  fake_.backend.reader_reached = false;
  for (const bool json : {true, false}) {
    fake_.session.json = json;
    EXPECT_EQ(RunWait(fake_.session, {.timeout_ms = 10, .quiet = true}), ExitCode::kDifferent);
  }
  EXPECT_EQ(fake_.out.text(), "");
}

TEST_F(WaitTest, ALogThatDoesNotAnswerIsNamed) {
  fake_.backend.log.bounds_late = 1'000;
  fake_.session.json = true;
  EXPECT_EQ(Wait(), ExitCode::kDifferent);
  EXPECT_NE(fake_.out.text().find(R"("unreachable":"timed out")"), std::string::npos);
}

TEST_F(WaitTest, OneThatIsInterruptedHasNotRunOut) {
  fake_.backend.reader_reached = false;
  fake_.interrupt.interrupt_at = 1;
  EXPECT_EQ(Wait(), ExitCode::kError);
}

TEST_F(WaitTest, WhatIsAppendedAfterwardsIsNotWaitedFor) {
  shard().lanes[1].progress.event_offset = Offset(2);
  shard().on_poll = [this](testing::FakeShard& shard) {
    fake_.backend.log.Of(topics::kRelationEvents)[0].resize(100);
    shard.lanes[1].progress.event_offset = Offset(5);
  };
  EXPECT_EQ(Wait(), ExitCode::kFine);
}

TEST_F(WaitTest, TimeOutNamesTheLane) {
  shard().lanes[1].progress.event_offset = Offset(2);
  EXPECT_EQ(Wait(), ExitCode::kDifferent);
  EXPECT_TRUE(Said("fans/0 on shard 0: 2 of 5"));
  EXPECT_FALSE(Said("following/0"));
  EXPECT_GE(fake_.clock.steady_ms, 1000);
}

TEST_F(WaitTest, TimeOutZeroLooksOnce) {
  shard().lanes[1].progress.event_offset = Offset(2);
  EXPECT_EQ(Wait(0), ExitCode::kDifferent);
  EXPECT_EQ(shard().polls, 1);
}

TEST_F(WaitTest, HaltedLaneEndsItAtOnceWithItsReason) {
  shard().lanes[0].state = LaneState::kHalted;
  shard().lanes[0].state_reason = "log_mismatch";
  shard().lanes[0].progress.event_offset = Offset(2);
  EXPECT_EQ(Wait(), ExitCode::kRefused);
  EXPECT_TRUE(Said("following/0 on shard 0: 2 of 5, halted (log_mismatch)"));
  EXPECT_EQ(shard().polls, 1);
}

TEST_F(WaitTest, LaneThatHaltsWhileItIsWaitedForEndsIt) {
  shard().lanes[1].progress.event_offset = Offset(2);
  shard().on_poll = [](testing::FakeShard& shard) {
    if (shard.polls == 3) shard.lanes[1].state = LaneState::kHalted;
  };
  EXPECT_EQ(Wait(), ExitCode::kRefused);
  EXPECT_EQ(shard().polls, 3);
}

TEST_F(WaitTest, HaltedLaneThatHasAllThatWasAskedForHoldsNobodyUp) {
  shard().lanes[0].state = LaneState::kHalted;
  EXPECT_EQ(Wait(), ExitCode::kFine);
}

TEST_F(WaitTest, PausedLaneIsToldAtOnceAndWaitedFor) {
  shard().lanes[0].state = LaneState::kPaused;
  shard().lanes[0].state_reason = "moving the disk";
  shard().lanes[0].progress.event_offset = Offset(2);
  bool told_early = false;
  shard().on_poll = [&](testing::FakeShard& shard) {
    if (shard.polls == 2) told_early = Said("paused (moving the disk)");
  };
  EXPECT_EQ(Wait(), ExitCode::kDifferent);
  EXPECT_TRUE(told_early);
}

TEST_F(WaitTest, JsonNamesTheLanes) {
  fake_.session.json = true;
  shard().lanes.pop_back();
  EXPECT_EQ(Wait(), ExitCode::kDifferent);
  EXPECT_NE(fake_.out.text().find(R"("state":"not_started")"), std::string::npos);
  EXPECT_NE(fake_.out.text().find(R"("caught_up":false)"), std::string::npos);
}

}  // namespace
}  // namespace fanfold
