#include "reader/freshness/position_board.h"

#include <gtest/gtest.h>

#include "reader/cache/live_lists.h"
#include "reader/freshness/position_waits.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

using testing::FakeClock;
using testing::FakeTables;

constexpr std::int32_t kShards = 2;

LaneNeed NeedOf(std::int64_t event) {
  return {LaneId{projections::kFollowing, Generation(1), Partition(1)}, Shard(1), Offset(event)};
}

PositionNeed WaitFor(const LaneNeed& lane) {
  return {{{streams::kRelations, {lane.lane.partition, lane.event}}}, {lane}};
}

struct Rig {
  FakeClock clock;
  FakeTables tables;
  Metrics metrics;
  PositionBoard board{clock, {4, kShards}};
  LiveLists live{kShards, {}, metrics};  // follows nothing
  PositionGate gate{board, FollowsRelations(live)};

  void Look() {
    for (std::int32_t s = 0; s < kShards; ++s) board.SetLanes(Shard(s), tables.LanesOf(Shard(s)));
  }
  void SetCatalog() { board.SetDeployment(Deployment{Placement::Modulo({4, kShards}), {}}); }
};

TEST(PositionBoard, IsReadyWhenAllHasAnswered) {
  Rig rig;
  EXPECT_FALSE(rig.board.Ready().has_value());
  rig.Look();
  EXPECT_FALSE(rig.board.Ready().has_value()) << "without the catalog";
  rig.SetCatalog();
  EXPECT_FALSE(rig.board.Ready().has_value()) << "without a look at the log";
  rig.board.EndsRoundOver(streams::kRelations, false);
  EXPECT_TRUE(rig.board.Ready().has_value()) << "a log that is away stops no read";
}

TEST(PositionBoard, ALogThatHangsDelaysReadinessForABoundedTime) {
  Rig rig;
  rig.SetCatalog();
  rig.clock.Advance(PositionBoard::kFirstEndsMs - 1);
  rig.Look();
  EXPECT_FALSE(rig.board.Ready().has_value());
  rig.clock.Advance(1);
  EXPECT_TRUE(rig.board.Ready().has_value());
}

class ReadyBoard : public ::testing::Test {
 protected:
  ReadyBoard() {
    rig_.Look();
    rig_.SetCatalog();
    rig_.board.EndsRoundOver(streams::kRelations, true);
  }
  void Fail(Shard shard, ErrorCode code = ErrorCode::kUnavailable) {
    rig_.board.SetShardFailed(shard, {code, "gone"});
  }
  // "" where it is ready.
  std::string Why() {
    const Status ready = rig_.board.Ready();
    return ready ? "" : ready.error().message;
  }
  Rig rig_;
};

TEST_F(ReadyBoard, AShardThatIsAwayTakesNoReadsOfOthersAway) {
  Fail(Shard(1));
  EXPECT_EQ(Why(), "");
  EXPECT_FALSE(rig_.board.ShardUp(Shard(1)).has_value());
  EXPECT_TRUE(rig_.board.ShardUp(Shard(0)).has_value());
}

TEST_F(ReadyBoard, TheCatalogsShardIsOneLikeOthers) {
  for (const ErrorCode passes :
       {ErrorCode::kUnavailable, ErrorCode::kTimeout, ErrorCode::kConflict}) {
    rig_.board.SetDeployment(fanfold::Fail(passes, "late"));
    EXPECT_EQ(Why(), "") << "it stays as it was read";
  }
  rig_.board.SetDeployment(fanfold::Fail(ErrorCode::kRefused, "another's"));
  EXPECT_EQ(Why(), "catalog: another's");
  Fail(Shard(0));
  EXPECT_EQ(Why(), "");
}

TEST_F(ReadyBoard, WithEveryShardAwayOrSilentThereIsNothingToRead) {
  Fail(Shard(0));
  Fail(Shard(1));
  EXPECT_EQ(Why(), "shard 0: gone");
  rig_.Look();
  EXPECT_EQ(Why(), "");
  rig_.clock.Advance(PositionBoard::kShardFreshMs + 1);
  EXPECT_NE(Why(), "");
}

TEST_F(ReadyBoard, ASchemaThatIsNotTheDeploymentsIs) {
  Fail(Shard(1), ErrorCode::kRefused);
  EXPECT_EQ(Why(), "shard 1: gone");
  Fail(Shard(1));
  EXPECT_EQ(Why(), "");
}

TEST_F(ReadyBoard, WhatAShardDoesNotAnswerCountsWhileItIsUp) {
  rig_.board.SetAnswers(Shard(1), fanfold::Fail(ErrorCode::kRefused, "no index"));
  EXPECT_EQ(Why(), "shard 1: no index");
  Fail(Shard(1));
  EXPECT_EQ(Why(), "");
}

TEST_F(ReadyBoard, AStatementThatIsLateIsItsShardsTrouble) {
  for (const ErrorCode passes :
       {ErrorCode::kUnavailable, ErrorCode::kTimeout, ErrorCode::kConflict}) {
    rig_.board.SetAnswers(Shard(1), fanfold::Fail(passes, "late"));
    EXPECT_EQ(Why(), "");
  }
}

TEST(PositionBoard, IsNotReadyBeforeEveryShardHasAnswered) {
  Rig rig;
  rig.SetCatalog();
  rig.board.EndsRoundOver(streams::kRelations, true);
  rig.board.SetLanes(Shard(0), rig.tables.LanesOf(Shard(0)));
  EXPECT_EQ(rig.board.Ready().error().message, "shard 1: not asked yet");
  rig.board.SetShardFailed(Shard(1), {ErrorCode::kUnavailable, "gone"});
  EXPECT_EQ(rig.board.Ready().error().message, "shard 1: gone");
}

TEST(PositionBoard, KnowsTheDeploymentThatWasReadLast) {
  Rig rig;
  rig.board.SetDeployment(Fail(ErrorCode::kRefused, "another's"));
  EXPECT_FALSE(rig.board.Current().has_value());
  rig.SetCatalog();
  EXPECT_TRUE(rig.board.Current().has_value());
  rig.board.SetDeployment(Fail(ErrorCode::kUnavailable, "away"));
  EXPECT_TRUE(rig.board.Current().has_value()) << "what was read last stays";
}

TEST(PositionBoard, APositionIsInclusive) {
  Rig rig;
  rig.tables.SetAllLanes(5);
  rig.Look();
  const LaneNeed below[] = {NeedOf(4)};
  const LaneNeed at[] = {NeedOf(5)};
  EXPECT_TRUE(rig.board.Reached(below));
  EXPECT_FALSE(rig.board.Reached(at));
  EXPECT_EQ(rig.board.Missing(below), "");
}

TEST(PositionBoard, SaysWhatIsMissingAndTheLag) {
  Rig rig;
  rig.tables.SetAllLanes(5);
  rig.Look();
  rig.board.ObserveEnd(streams::kRelations, Partition(1), Offset(8));
  rig.clock.Advance(40);
  const LaneNeed need[] = {NeedOf(7)};
  EXPECT_EQ(rig.board.Missing(need),
            "1:7 was asked for, following has applied the events below 1:5; lag 3 events, 40 ms");
}

TEST(PositionWaits, GoesOnWhenThePositionIsReached) {
  Rig rig;
  PositionWaits waits(rig.gate, rig.clock);
  std::optional<bool> reached;
  ASSERT_TRUE(
      waits.Add(WaitFor(NeedOf(5)), rig.clock.SteadyMs() + 100, [&](bool r) { reached = r; }));
  rig.tables.SetAllLanes(5);
  rig.Look();
  waits.Recheck();
  EXPECT_EQ(reached, std::nullopt);
  rig.tables.SetAllLanes(6);
  rig.Look();
  waits.Recheck();
  EXPECT_EQ(reached, true);
  EXPECT_EQ(waits.size(), 0U);
}

TEST(PositionWaits, GivesUpAtTheDeadline) {
  Rig rig;
  PositionWaits waits(rig.gate, rig.clock);
  std::optional<bool> reached;
  ASSERT_TRUE(
      waits.Add(WaitFor(NeedOf(5)), rig.clock.SteadyMs() + 100, [&](bool r) { reached = r; }));
  rig.clock.Advance(99);
  waits.Recheck();
  EXPECT_EQ(reached, std::nullopt);
  rig.clock.Advance(1);
  waits.Recheck();
  EXPECT_EQ(reached, false);
}

TEST(PositionWaits, HoldsABoundedNumber) {
  Rig rig;
  PositionWaits waits(rig.gate, rig.clock);
  std::size_t told = 0;
  const auto add = [&] {
    return waits.Add(WaitFor(NeedOf(5)), rig.clock.SteadyMs() + 100, [&](bool) { ++told; });
  };
  for (std::size_t i = 0; i < PositionWaits::kWaitsMax; ++i) ASSERT_TRUE(add().has_value());
  const Status refused = add();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  rig.clock.Advance(100);
  waits.Recheck();
  EXPECT_EQ(told, PositionWaits::kWaitsMax);
  EXPECT_TRUE(add().has_value());
}

TEST(PositionWaits, OneCallerHoldsFewAndNoneOnceHeIsGone) {
  Rig rig;
  PositionWaits waits(rig.gate, rig.clock);
  const auto caller = std::make_shared<Caller>();
  int told = 0;
  const auto add = [&](const CallerPtr& of) {
    return waits.Add(
        WaitFor(NeedOf(5)), rig.clock.SteadyMs() + 100, [&](bool r) { told += r ? 100 : 1; }, of);
  };
  for (int i = 0; i < Caller::kWaitsMax; ++i) ASSERT_TRUE(add(caller).has_value());
  const Status refused = add(caller);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  EXPECT_TRUE(add(std::make_shared<Caller>()).has_value());
  waits.Recheck();
  EXPECT_EQ(told, 0);
  caller->Leave();
  waits.Recheck();
  EXPECT_EQ(told, Caller::kWaitsMax);
  EXPECT_EQ(waits.size(), 1U);
  EXPECT_TRUE(add(caller).has_value()) << "the places are given back";
}

TEST(PositionWaits, TellsThoseWhoWaitWhenItEnds) {
  Rig rig;
  std::optional<bool> reached;
  {
    PositionWaits waits(rig.gate, rig.clock);
    ASSERT_TRUE(
        waits.Add(WaitFor(NeedOf(5)), rig.clock.SteadyMs() + 100, [&](bool r) { reached = r; }));
  }
  EXPECT_EQ(reached, false);
}

}  // namespace
}  // namespace fanfold::reader
