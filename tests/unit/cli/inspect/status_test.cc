#include "cli/inspect/status.h"

#include <gtest/gtest.h>

#include "cli/inspect/status_report.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using testing::RunningLane;

using projections::kFans;
using projections::kFollowing;

class StatusTest : public ::testing::Test {
 protected:
  StatusTest() {
    for (std::int64_t i = 0; i < 5; ++i) {
      fake_.backend.log.Of(topics::kRelationEvents)[0].push_back(
          {"1", "{}", fake_.clock.now_ms - 100 * (5 - i)});
    }
    fake_.backend.log.Of(topics::kRelationOutcomes)[0].resize(4);
    shard().lanes = {RunningLane(kFollowing, 0, 5), RunningLane(kFans, 0, 2)};
  }
  testing::FakeShard& shard() { return fake_.backend.shard_states[0]; }
  [[nodiscard]] bool Printed(const std::string& text) const {
    return fake_.out.text().find(text) != std::string::npos;
  }
  FakeSession fake_{1};
};

TEST_F(StatusTest, LagIsInEventsAndTheAgeOfTheOldest) {
  fake_.session.json = true;
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("lag_events":3,"lag_ms":300)"));  // event 2 was appended 300 ms ago
  EXPECT_TRUE(Printed(R"("lag_events":0,"lag_ms":0)"));
}

TEST_F(StatusTest, AgeIsOfTheFirstEventThatIsThere) {
  fake_.backend.log.Of(topics::kRelationEvents)[0][2].missing = true;
  fake_.session.json = true;
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("lag_events":3,"lag_ms":200)"));
}

TEST_F(StatusTest, EndIsOfTheTopicTheLaneReads) {
  fake_.session.json = true;
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("end":5)"));  // following decides: events
  EXPECT_TRUE(Printed(R"("end":4)"));  // fans apply: outcomes
}

TEST_F(StatusTest, TableShowsLanesThatLagOnly) {
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed("fans/0"));
  EXPECT_FALSE(Printed("following/0"));
}

TEST_F(StatusTest, ShardThatIsAwayDoesNotHideTheOthers) {
  FakeSession two(2, 2);
  two.backend.shard_states[0].lanes = {RunningLane(kFollowing, 0, 0)};
  two.backend.shard_states[1].away = true;
  EXPECT_EQ(RunStatus(two.session, {.all_lanes = true}), ExitCode::kError);
  EXPECT_NE(two.out.text().find("following/0"), std::string::npos);
  EXPECT_NE(two.err.text().find("shard 1: away"), std::string::npos);
}

TEST_F(StatusTest, TableShowsAllLanesWhenAsked) {
  EXPECT_EQ(RunStatus(fake_.session, {.all_lanes = true}), ExitCode::kFine);
  EXPECT_TRUE(Printed("following/0"));
}

TEST_F(StatusTest, HaltedLaneIsShownWithItsReason) {
  shard().lanes[0].state = LaneState::kHalted;
  shard().lanes[0].state_reason = "log_mismatch";
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed("halted (log_mismatch)"));
}

TEST_F(StatusTest, NoLanesYetIsSaid) {
  shard().lanes.clear();
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed("no lane has started yet"));
}

TEST_F(StatusTest, AProjectionThatNobodyHasTakenUpLacksAllItsLanes) {
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed("posts"));
  EXPECT_TRUE(Printed("0/1"));
  fake_.session.json = true;
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_TRUE(Printed(R"("lanes":0,"lanes_expected":1,"projection":"posts","read":true)"));
}

TEST_F(StatusTest, WhatLagsIsLookedAtTwiceForItsRate) {
  shard().on_poll = [](testing::FakeShard& shard) {
    shard.lanes[1].progress.event_offset = Offset(shard.polls);
  };
  fake_.session.json = true;
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_EQ(shard().polls, 2);
  EXPECT_TRUE(Printed(R"("events_per_second":2.0)"));  // one in half a second
  EXPECT_TRUE(Printed(R"("eta_ms":1500)"));            // for the three that are left
}

TEST_F(StatusTest, WhatHasCaughtUpIsLookedAtOnce) {
  shard().lanes[1].progress.event_offset = Offset(5);
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_EQ(shard().polls, 1);
}

TEST_F(StatusTest, ShardThatIsAwayIsNamedInJsonToo) {
  FakeSession two(2, 2);
  two.session.json = true;
  two.backend.shard_states[1].away = true;
  EXPECT_EQ(RunStatus(two.session, {}), ExitCode::kError);
  EXPECT_NE(two.out.text().find(R"("failures":["shard 1: away"])"), std::string::npos)
      << two.out.text();
}

TEST_F(StatusTest, ShardOfTheCatalogIsNamedWhenItIsAway) {
  shard().away = true;
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kError);
  EXPECT_NE(fake_.err.text().find("shard 0, which has the catalog: away"), std::string::npos)
      << fake_.err.text();
}

TEST_F(StatusTest, WatchShowsRateUntilInterrupted) {
  fake_.session.json = true;
  fake_.interrupt.interrupt_at = 2;
  shard().on_poll = [](testing::FakeShard& shard) {
    shard.lanes[1].progress.event_offset = Offset(shard.polls);
  };
  EXPECT_EQ(RunStatus(fake_.session, {.watch = true}), ExitCode::kFine);
  EXPECT_EQ(shard().polls, 2);
  EXPECT_TRUE(Printed(R"("events_per_second":1.0)"));
  EXPECT_TRUE(Printed(R"("eta_ms":3000)"));  // three events left at one a second
}

TEST(StatusReport, ProjectionLagIsTheWorstShardsOfEachPartition) {
  operations::StatusReport report;
  report.partitions = 1;
  report.shards = 2;
  for (std::int32_t s = 0; s < 2; ++s) {
    operations::LaneReport lane;
    lane.shard = Shard(s);
    lane.status = RunningLane(kFans, 0, 5 - s);
    lane.lag_events = 5 + s;
    report.lanes.push_back(lane);
  }
  const std::string json = StatusJson(report);
  const std::string projections = json.substr(json.find("\"projections\""));
  EXPECT_NE(projections.find(R"("lag_events":6)"), std::string::npos) << json;
  EXPECT_EQ(projections.find(R"("lag_events":11)"), std::string::npos) << json;
  EXPECT_NE(projections.find(R"("lanes":2,"lanes_expected":2)"), std::string::npos) << json;
}

}  // namespace
}  // namespace fanfold
