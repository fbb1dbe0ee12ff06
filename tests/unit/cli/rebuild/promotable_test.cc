#include "operations/rebuild/promotable.h"

#include <gtest/gtest.h>

#include "cli/rebuild/rebuild.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using namespace projections;
using enum LaneState;
using testing::kG1;
using testing::kG2;

operations::ShardLane Lane(Generation generation, std::int32_t partition, std::int64_t at,
                           bool deciding = kApplying, LaneState state = kRunning,
                           std::int32_t shard = 0) {
  operations::ShardLane lane{Shard(shard), {}};
  lane.status.lane = {kFollowing, generation, Partition(partition)};
  lane.status.deciding = deciding;
  lane.status.state = state;
  lane.status.progress.event_offset = Offset(at);
  lane.status.progress.published_offset = Offset(at);
  return lane;
}

struct StandsCase {
  const char* name;
  operations::ShardLane lane;
  bool stands;
};
void PrintTo(const StandsCase& one, std::ostream* out) { *out << one.name; }

class Stands : public ::testing::TestWithParam<StandsCase> {};

TEST_P(Stands, IsALaneThatHasToRun) {
  const std::vector<operations::ShardLane> lanes = {Lane(kG1, 0, 5, kDeciding), Lane(kG2, 0, 5),
                                                    GetParam().lane};
  const auto found = operations::LaneThatStands(lanes, kG2);
  ASSERT_EQ(found.has_value(), GetParam().stands);
  if (found) {
    EXPECT_EQ(found->status.lane, GetParam().lane.status.lane);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Promotable, Stands,
    ::testing::Values(StandsCase{"Running", Lane(kG2, 1, 5), false},
                      StandsCase{"OwnPaused", Lane(kG2, 1, 5, kApplying, kPaused), true},
                      StandsCase{"OwnHalted", Lane(kG2, 1, 5, kApplying, kHalted), true},
                      StandsCase{"OwnThatDecides", Lane(kG2, 1, 5, kDeciding, kPaused), true},
                      StandsCase{"OtherThatDecides", Lane(kG1, 1, 5, kDeciding, kPaused), true},
                      StandsCase{"OthersHaltedDecider", Lane(kG1, 1, 5, kDeciding, kHalted), true},
                      StandsCase{"OtherThatApplies", Lane(kG1, 1, 5, kApplying, kPaused), false}),
    [](const auto& param_info) { return param_info.param.name; });

// What its own tables halted is all that stops deciding as soon as it runs again.
TEST(Promotable, LaneThatItsTablesHaltedIsFreedToStopDeciding) {
  struct Case {
    operations::ShardLane lane;
    std::string reason;
    bool freed;
  };
  const Case cases[] = {{Lane(kG1, 1, 5, kDeciding, kHalted), "batch_refused", true},
                        {Lane(kG1, 1, 5, kDeciding, kHalted), "other_generations", true},
                        {Lane(kG1, 1, 5, kDeciding, kHalted), "log_truncated", false},
                        {Lane(kG1, 1, 5, kDeciding, kHalted), "outcome_refused", false},
                        {Lane(kG1, 1, 5, kDeciding, kPaused), "batch_refused", false},
                        {Lane(kG2, 1, 5, kDeciding, kHalted), "batch_refused", false}};
  for (Case one : cases) {
    one.lane.status.state_reason = one.reason;
    const std::vector<operations::ShardLane> lanes = {Lane(kG1, 0, 5, kDeciding), one.lane};
    EXPECT_EQ(operations::DecidersToFree(lanes, kG2).size(), one.freed ? 1U : 0U) << one.reason;
    EXPECT_EQ(operations::LaneThatKeepsDeciding(lanes, kG2).has_value(), !one.freed) << one.reason;
    EXPECT_TRUE(operations::LaneThatStands(lanes, kG2)) << one.reason;
  }
}

TEST(Promotable, StandingLaneIsToldWithItsWayOut) {
  operations::ShardLane lane = Lane(kG1, 3, 5, kApplying, kPaused, 1);
  lane.status.state_reason = "broken disk";
  EXPECT_EQ(
      operations::DescribeStanding(lane),
      "following/3 of generation 1 on shard 1 is paused (broken disk): paused by an operator; "
      "`fanfold lane resume following/3 --generation 1` lets it go on");
}

TEST(Promotable, GoalsAreWhatIsReadAndWhatDecides) {
  const std::vector<operations::ShardLane> lanes = {
      Lane(kG1, 0, 10),
      Lane(kG1, 1, 20, kApplying, kHalted),
      Lane(kG1, 1, 30, kApplying, kRunning, 1),  // fans stand on every shard
      Lane(kG2, 0, 4),
      Lane(kG2, 1, 25),
      Lane(Generation(3), 0, 12, kDeciding),
      Lane(Generation(4), 0, 99),
  };
  const operations::LaneGoals goals = operations::GoalsOf(lanes, kG1, kG2);
  EXPECT_EQ(goals, (operations::LaneGoals{{{0, Partition(0)}, Offset(12)},
                                          {{0, Partition(1)}, Offset(20)},
                                          {{1, Partition(1)}, Offset(30)}}));
  EXPECT_EQ(operations::EventsLacking(goals, lanes, kG2), 8 + 0 + 30);
  EXPECT_EQ(operations::EventsLacking(operations::GoalsOf(lanes, kG2, kG2), lanes, kG2), 8)
      << "what is read does not decide";
}

TEST(Promotable, WhatNobodyDecidesIsNotWaitedFor) {
  const operations::LogEnds ends(6, Offset(100));
  const std::vector<operations::ShardLane> lanes = {
      Lane(kG1, 0, 40, kDeciding),           Lane(kG1, 1, 40, kDeciding, kPaused),
      Lane(kG1, 2, 40, kApplying, kPaused),  Lane(kG2, 2, 60),
      Lane(kG1, 3, 40, kDeciding, kHalted),  Lane(kG2, 3, 30, kDeciding),
      Lane(kG1, 4, 900, kDeciding, kHalted),
  };
  EXPECT_EQ(operations::DecidedEnds(ends, lanes),
            (operations::LogEnds{Offset(100), Offset(40), Offset(60), Offset(100), Offset(100),
                                 Offset(100)}));
}

TEST(Promotable, WhatAStandingLaneHasNotPublishedIsNotWaitedFor) {
  std::vector<operations::ShardLane> lanes = {Lane(kG1, 0, 40, kDeciding, kHalted),
                                              Lane(kG2, 0, 30)};
  lanes[0].status.progress.published_offset = Offset(35);
  EXPECT_EQ(operations::DecidedEnds({Offset(100)}, lanes), operations::LogEnds{Offset(35)});
}

constexpr std::int64_t kFar = operations::CatchUpWatch::kNearEvents + 1;

TEST(CatchUpWatch, WhatComesIsWaitedForHoweverLong) {
  operations::CatchUpWatch watch;
  std::int64_t now_ms = 0;
  for (std::int64_t lacking = kFar + 100; lacking > kFar; --lacking) {
    EXPECT_EQ(watch.Look(lacking, now_ms), operations::CatchUp::kComes);
    now_ms += operations::CatchUpWatch::kFarStillMs - 1;
  }
  EXPECT_EQ(watch.Look(0, now_ms), operations::CatchUp::kThere);
}

TEST(CatchUpWatch, WhatLacksLittleIsWaitedForShortly) {
  operations::CatchUpWatch watch;
  EXPECT_EQ(watch.Look(kFar - 1, 10), operations::CatchUp::kComes);
  EXPECT_EQ(watch.Look(kFar - 1, 9 + operations::CatchUpWatch::kNearStillMs),
            operations::CatchUp::kComes);
  EXPECT_EQ(watch.Look(kFar - 1, 10 + operations::CatchUpWatch::kNearStillMs),
            operations::CatchUp::kIsNear);
}

TEST(CatchUpWatch, WhatLacksMuchStandsInTheEnd) {
  operations::CatchUpWatch watch;
  EXPECT_EQ(watch.Look(kFar, 10), operations::CatchUp::kComes);
  EXPECT_EQ(watch.Look(kFar, 9 + operations::CatchUpWatch::kFarStillMs),
            operations::CatchUp::kComes);
  EXPECT_EQ(watch.Look(kFar, 10 + operations::CatchUpWatch::kFarStillMs),
            operations::CatchUp::kStands);
}

// Two generations of following in one partition; the second is read and decides.
class Rollback : public ::testing::Test {
 protected:
  Rollback() {
    tables().catalog->read[projections::kFollowing] = kG2;
    for (const Generation generation : {kG1, kG2}) {
      tables().generations.push_back(
          {kFollowing, generation, GenerationState::kFolding, generation == kG2, {}});
      tables().lanes.push_back(
          Lane(generation, 0, 100'000, generation == kG2 ? kDeciding : kApplying).status);
    }
  }
  testing::FakeShard& tables() { return fake_.backend.shard_states[0]; }
  LaneStatus& before() { return tables().lanes[0]; }
  ExitCode Run(std::optional<Generation> generation = {},
               operations::RebuildStep step = operations::RebuildStep::kRollback) {
    operations::RebuildOptions options;
    options.step = step;
    options.projections = {kFollowing};
    options.generation = generation;
    return RunRebuild(fake_.session, options);
  }
  void ExpectNothingChanged() {
    EXPECT_EQ(tables().catalog->read[projections::kFollowing], kG2);
    EXPECT_TRUE(tables().generations[1].to_decide);
  }
  testing::FakeSession fake_{1};
};

TEST_F(Rollback, ToAStandingLaneIsRefusedByName) {
  for (const LaneState state : {kPaused, kHalted}) {
    before().state = state;
    EXPECT_EQ(Run(), ExitCode::kRefused);
    ExpectNothingChanged();
  }
  EXPECT_NE(fake_.err.text().find("following/0 of generation 1 on shard 0 is halted"),
            std::string::npos);
}

TEST_F(Rollback, ToWhatIsNotFoldedIsRefused) {
  tables().generations[0].state = GenerationState::kLoading;
  EXPECT_EQ(Run(kG1), ExitCode::kRefused);
  ExpectNothingChanged();
}

TEST_F(Rollback, WaitsUntilItHasCaughtUp) {
  before().progress.event_offset = Offset(0);
  std::int64_t read_at = 0;
  tables().on_poll = [&](testing::FakeShard& shard) {
    LaneStatus& lane = shard.lanes[0];
    lane.progress.event_offset =
        Offset(std::min(100'000L, lane.progress.event_offset.value + 10'000));
    if (shard.catalog->read[projections::kFollowing] == kG2)
      read_at = lane.progress.event_offset.value;
    if (shard.generations[0].to_decide) lane.deciding = kDeciding;
  };
  EXPECT_EQ(Run(), ExitCode::kFine) << fake_.err.text();
  EXPECT_EQ(tables().catalog->read[projections::kFollowing], kG1);
  EXPECT_EQ(read_at, 100'000);
}

TEST_F(Rollback, WhatIsReadMayHaveGoneOnMeanwhile) {
  before().progress.event_offset = Offset(0);
  std::int64_t behind = 0;
  tables().on_poll = [&](testing::FakeShard& shard) {
    Offset& own = shard.lanes[0].progress.event_offset;
    Offset& read = shard.lanes[1].progress.event_offset;
    own = Offset(std::min(read.value, own.value + 10'000));
    if (shard.catalog->read[projections::kFollowing] == kG2) {
      read = Offset(read.value + 5'000);
      behind = read.value - own.value;
    }
    if (shard.generations[0].to_decide) shard.lanes[0].deciding = kDeciding;
  };
  EXPECT_EQ(Run(), ExitCode::kFine) << fake_.err.text();
  EXPECT_LE(behind, operations::CatchUpWatch::kNearEvents);
}

// The decider is paused while the new generation catches up: events that it has not decided are not
// waited for, and which generation decides does not matter yet.
TEST_F(Rollback, AStartEndsWhereTheDeciderStopped) {
  tables().catalog->read[projections::kFollowing] = kG1;
  tables().generations[0].to_decide = true;
  tables().generations[1].to_decide = false;
  before().deciding = kDeciding;
  before().progress.event_offset = Offset(40);
  before().progress.published_offset = Offset(40);
  tables().lanes[1].deciding = kApplying;
  tables().lanes[1].progress.event_offset = Offset(0);
  fake_.backend.log.Of(topics::kRelationEvents)[0].resize(100);
  tables().on_poll = [&](testing::FakeShard& shard) {
    Offset& own = shard.lanes[1].progress.event_offset;
    own = Offset(std::min<std::int64_t>(40, own.value + 10));
    shard.lanes[0].state = kPaused;
  };
  EXPECT_EQ(Run({}, operations::RebuildStep::kStart), ExitCode::kFine) << fake_.err.text();
}

// Its lanes say running, and nobody is there who would run them: it is told, and called again.
TEST_F(Rollback, AStartThatNobodyFoldsEndsInTimeAndGoesOnWhenCalledAgain) {
  tables().catalog->read[projections::kFollowing] = kG1;
  before().deciding = kDeciding;
  tables().lanes[1].deciding = kApplying;
  fake_.backend.log.Of(topics::kRelationEvents)[0].resize(100'020);
  EXPECT_EQ(Run({}, operations::RebuildStep::kStart), ExitCode::kDifferent);
  EXPECT_NE(fake_.err.text().find("generation 2 of following has yet to catch up: it lacks 20 "
                                  "events"),
            std::string::npos)
      << fake_.err.text();
  EXPECT_NE(fake_.err.text().find("no projector of following runs"), std::string::npos);
  EXPECT_LT(fake_.clock.steady_ms, 2 * operations::CatchUpWatch::kFarStillMs);
  tables().on_poll = [](testing::FakeShard& shard) {
    for (LaneStatus& lane : shard.lanes) lane.progress.event_offset = Offset(100'020);
  };
  EXPECT_EQ(Run({}, operations::RebuildStep::kStart), ExitCode::kFine) << fake_.err.text();
}

TEST_F(Rollback, ToWhatNobodyFoldsEndsInTime) {
  before().progress.event_offset = Offset(0);
  EXPECT_EQ(Run(), ExitCode::kDifferent);
  ExpectNothingChanged();
  EXPECT_NE(fake_.err.text().find("it lacks 100000 events"), std::string::npos);
  EXPECT_LT(fake_.clock.steady_ms, 2 * operations::CatchUpWatch::kFarStillMs);
}

// Whoever folds one generation of a partition folds all: it is no worse off.
TEST_F(Rollback, ToWhatLacksLittleNeedsNobodyToFoldIt) {
  before().progress.event_offset = Offset(99'000);
  EXPECT_EQ(Run(), ExitCode::kDifferent);
  EXPECT_EQ(tables().catalog->read[projections::kFollowing], kG1);
  EXPECT_TRUE(tables().generations[0].to_decide);
  EXPECT_NE(fake_.err.text().find("it is read, but the lanes of generation 1 of following have yet "
                                  "to decide, which goes on by itself"),
            std::string::npos);
}

// It runs again only when its projector knows that it is not to decide.
TEST_F(Rollback, AwayFromALaneThatItsTablesHaltedDecidesInItsPlace) {
  LaneStatus& halted = tables().lanes[1];
  halted.state = kHalted;
  halted.state_reason = "batch_refused";
  std::int64_t resumed_ms = 0;
  tables().on_poll = [&](testing::FakeShard& shard) {
    if (shard.lanes[1].state != kRunning) return;
    EXPECT_TRUE(shard.generations[0].to_decide);
    if (shard.lanes[1].deciding == kDeciding) resumed_ms = fake_.clock.steady_ms;
    shard.lanes[1].deciding = kApplying;
    shard.lanes[0].deciding = kDeciding;
  };
  EXPECT_EQ(Run(), ExitCode::kFine) << fake_.err.text();
  EXPECT_EQ(before().deciding, kDeciding);
  EXPECT_GE(resumed_ms, 2'000);
}

TEST_F(Rollback, AwayFromALaneThatTheLogHaltedIsRefused) {
  tables().lanes[1].state = kHalted;
  tables().lanes[1].state_reason = "log_truncated";
  EXPECT_EQ(Run(), ExitCode::kRefused);
  ExpectNothingChanged();
}

TEST_F(Rollback, AwayFromALaneThatItsTablesHaltAgainIsToldByName) {
  tables().lanes[1].state = kHalted;
  tables().lanes[1].state_reason = "batch_refused";
  tables().on_poll = [&](testing::FakeShard& shard) { shard.lanes[1].state = kHalted; };
  EXPECT_EQ(Run(), ExitCode::kRefused);
  EXPECT_NE(fake_.err.text().find("following/0 of generation 2 on shard 0 is halted"),
            std::string::npos);
  EXPECT_LT(fake_.clock.steady_ms, 10'000);
}

TEST_F(Rollback, LaneThatStandsWhileAnotherIsToDecideIsTold) {
  tables().on_poll = [&](testing::FakeShard& shard) {
    if (shard.catalog->read[projections::kFollowing] == kG1) shard.lanes[0].state = kPaused;
  };
  EXPECT_EQ(Run(), ExitCode::kRefused);
  EXPECT_NE(fake_.err.text().find("it is read, but generation 1 of following has yet to decide: "
                                  "following/0 of generation 1 on shard 0 is paused"),
            std::string::npos);
}

}  // namespace
}  // namespace fanfold
