// How long lanes take to start, when each question to the log takes its time.
#include <gtest/gtest.h>
#include <set>
#include <span>
#include <vector>

#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr std::int32_t kPartitions = 1024;
constexpr std::int64_t kFoldingWithinMs = 5'000;
constexpr int kStepsMax = 50;

class Starting : public ::testing::Test {
 protected:
  // At least one event in every partition.
  void SetUp() override {
    for (std::uint64_t user = 1; events_.size() < kPartitions; ++user) {
      events_.insert(deployment_.Follow(user, user + 1).partition);
    }
  }

  [[nodiscard]] std::size_t Folded() {
    std::size_t folded = 0;
    for (const auto& [id, lane] : deployment_.tables[0].lanes) {
      folded += lane.progress.event_offset > Offset(0) ? 1 : 0;
    }
    return folded;
  }

  // Steps until all lanes have folded; returns what that took.
  [[nodiscard]] std::int64_t FoldAll(Hand& hand) {
    const std::int64_t start_ms = deployment_.clock.now_ms;
    for (int step = 0; step < kStepsMax && Folded() < kPartitions; ++step) {
      hand.worker->Step(0);
      deployment_.clock.now_ms += kStepMs;
    }
    return deployment_.clock.now_ms - start_ms;
  }

  // A worker whose lanes run, but for the late ones, which it has not got.
  [[nodiscard]] Hand WithoutLate() {
    Hand hand = deployment_.Make(following_);
    hand.worker->Lose(late_);
    deployment_.Settle(hand);
    return hand;
  }

  Deployment deployment_{1, kPartitions};
  std::set<Partition> events_;
  RelationFold following_{projections::kFollowing, FollowLimit(1000)};
  const std::vector<Partition> all_ = deployment_.AllPartitions();
  const std::span<const Partition> late_ = std::span(all_).subspan(kPartitions / 2);
};

TEST_F(Starting, AThousandLanesFoldWithinFiveSecondsOfTwentyMsQuestions) {
  deployment_.log.AnswerAfter(20, deployment_.clock);
  Hand hand = deployment_.Make(following_);
  const std::int64_t taken_ms = FoldAll(hand);
  EXPECT_EQ(Folded(), kPartitions);
  EXPECT_LE(taken_ms, kFoldingWithinMs);
}

TEST_F(Starting, IsNotWellBeforeAllThatItGainedFold) {
  Hand hand = deployment_.Make(following_);
  int steps = 0;
  for (; !hand.worker->Health() && steps < kStepsMax; ++steps) {
    EXPECT_LT(Folded(), kPartitions);
    EXPECT_EQ(hand.worker->Health().error().message.find("1024 lanes do not fold yet"), 0U);
    hand.worker->Step(0);
  }
  EXPECT_GT(steps, 0);
  EXPECT_TRUE(hand.worker->Health());
  hand.worker->Lose(late_);
  hand.worker->Gain(late_);
  EXPECT_FALSE(hand.worker->Health());
  hand.worker->Lose(late_);
  EXPECT_TRUE(hand.worker->Health()) << "those that it lost are others' now";
}

TEST_F(Starting, ALaneThatStandsKeepsNobodyFromBeingWell) {
  auto& paused = deployment_.tables[0].lanes[{projections::kFollowing, Generation(1), all_[0]}];
  paused.state = LaneState::kPaused;
  Hand hand = deployment_.Make(following_);
  deployment_.Settle(hand);
  EXPECT_TRUE(hand.worker->Health());
}

TEST_F(Starting, ALoneSurvivorTakesAllWithinFiveSeconds) {
  Hand hand = WithoutLate();
  ASSERT_EQ(Folded(), kPartitions / 2);
  deployment_.log.AnswerAfter(20, deployment_.clock);
  hand.worker->Gain(late_);
  const std::int64_t taken_ms = FoldAll(hand);
  EXPECT_EQ(Folded(), kPartitions);
  EXPECT_LE(taken_ms, kFoldingWithinMs);
}

TEST_F(Starting, AsLongAsTheLogMayTakeLeavesThoseAloneThatRun) {
  Hand hand = WithoutLate();
  const double claims = deployment_.following_metrics.claims.Value();
  deployment_.log.AnswerAfter(ShardWorker::kBoundsWaitMs / 2, deployment_.clock);
  hand.worker->Gain(late_);
  (void)FoldAll(hand);
  EXPECT_EQ(Folded(), kPartitions);
  EXPECT_EQ(deployment_.following_metrics.claims.Value() - claims, late_.size());
}

// A lane that an operator lets go on starts in a step of its own.
TEST_F(Starting, WhatIsResumedMeanwhileStandsInNobodysWay) {
  auto& resumed = deployment_.tables[0].lanes[{projections::kFollowing, Generation(1), all_[0]}];
  resumed.state = LaneState::kPaused;
  Hand hand = WithoutLate();
  hand.worker->Step(0);  // looks at the lanes, a while before it does so again
  deployment_.clock.now_ms += ShardWorker::kLookMs - 1;
  hand.worker->Step(0);
  const double claims = deployment_.following_metrics.claims.Value();
  deployment_.log.AnswerAfter(ShardWorker::kBoundsWaitMs / 2, deployment_.clock);
  resumed.state = LaneState::kRunning;
  deployment_.clock.now_ms += 1;
  hand.worker->Gain(late_);
  (void)FoldAll(hand);
  EXPECT_EQ(Folded(), kPartitions);
  EXPECT_LE(deployment_.following_metrics.claims.Value() - claims, late_.size() + 1);
}

TEST_F(Starting, ForHoweverLongIsNoStandstill) {
  deployment_.log.AnswerAfter(ShardWorker::kStandstillMs, deployment_.clock);
  Hand hand = deployment_.Make(following_);
  (void)FoldAll(hand);
  EXPECT_EQ(Folded(), kPartitions);
}

}  // namespace
}  // namespace fanfold::testing
