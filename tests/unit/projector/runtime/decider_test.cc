// Deciding goes between two generations of following, in one process.
#include <gtest/gtest.h>
#include <vector>

#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

class Decider : public ::testing::Test {
 protected:
  // Both generations' workers, as ShardWorkers has them; the second one's lanes are there,
  // applying.
  Decider() {
    for (std::int32_t p = 0; p < Deployment::kPartitions; ++p) {
      deployment_.tables[0].lanes[{projections::kFollowing, Generation(2), Partition(p)}] = {};
    }
    first_ = deployment_.Make(projection_);
    second_ = deployment_.Make(projection_, 0, Generation(2));
    Give(Generation(1));
  }

  void Give(Generation generation) {
    first_.worker->OrderToDecide(generation == Generation(1));
    second_.worker->OrderToDecide(generation == Generation(2));
  }

  void Settle() {
    for (int i = 0; i < 4; ++i) {
      deployment_.Settle(first_, 2);
      deployment_.Settle(second_, 2);
    }
  }

  [[nodiscard]] int Deciders() {
    int deciders = 0;
    for (const auto& [lane, held] : deployment_.tables[0].lanes) {
      deciders += held.deciding ? 1 : 0;
    }
    return deciders;
  }
  [[nodiscard]] std::int64_t Count(std::int32_t generation, std::uint64_t user) {
    return deployment_.tables[0]
        .counts[{projections::kFollowing, Generation(generation), UserId(user)}];
  }

  Deployment deployment_;
  RelationFold projection_{projections::kFollowing, FollowLimit(1000)};
  Hand first_;
  Hand second_;
};

TEST_F(Decider, GoesOverAndBackWithEveryEventDecidedOnce) {
  const Partition home = deployment_.placement.PartitionOf(UserId(1));
  std::size_t events = 0;
  for (const std::int32_t generation : {1, 2, 1, 2, 1}) {
    Give(Generation(generation));
    deployment_.Follow(1, 2 + events);
    ++events;
    Settle();
    EXPECT_EQ(Deciders(), Deployment::kPartitions);
    for (const auto& [lane, held] : deployment_.tables[0].lanes) {
      EXPECT_EQ(held.deciding, lane.generation == Generation(generation));
    }
    ExpectDense(deployment_.Outcomes(home), events);
    EXPECT_EQ(Count(1, 1), static_cast<std::int64_t>(events));
    EXPECT_EQ(Count(2, 1), static_cast<std::int64_t>(events));
  }
}

TEST_F(Decider, IsKeptUntilWhatWasDecidedIsPublished) {
  Settle();
  deployment_.log.HoldAppends(true);
  deployment_.Follow(1, 2);
  deployment_.Settle(first_, 2);
  Give(Generation(2));
  Settle();
  const Partition home = deployment_.placement.PartitionOf(UserId(1));
  EXPECT_EQ(deployment_.LaneOf(projections::kFollowing, home).deciding, kDeciding);
  EXPECT_TRUE(deployment_.Outcomes(home).empty());
  deployment_.log.HoldAppends(false);
  deployment_.log.Deliver();
  Settle();
  EXPECT_EQ(deployment_.LaneOf(projections::kFollowing, home).deciding, kApplying);
  ExpectDense(deployment_.Outcomes(home), 1);
  EXPECT_EQ(Count(2, 1), 1);
}

TEST_F(Decider, IsTakenByWhoeverComesAfterAKill) {
  deployment_.Follow(1, 2);
  Settle();
  Give(Generation(2));
  deployment_.Settle(first_, 6);  // given up
  EXPECT_EQ(Deciders(), 0);
  first_.worker.reset();
  second_.worker.reset();
  deployment_.Follow(1, 3);
  second_ = deployment_.Make(projection_, 0, Generation(2));
  deployment_.Settle(second_, 8);
  EXPECT_EQ(Deciders(), Deployment::kPartitions);
  EXPECT_EQ(Count(2, 1), 2);
  ExpectDense(deployment_.Outcomes(deployment_.placement.PartitionOf(UserId(1))), 2);
}

TEST_F(Decider, StaysWhenItIsWantedBackBeforeItWasGivenUp) {
  Settle();
  Give(Generation(2));
  first_.worker->Step(0);  // yields
  Give(Generation(1));
  deployment_.Follow(1, 2);
  Settle();
  EXPECT_EQ(Count(1, 1), 1);
  EXPECT_EQ(Count(2, 1), 1);
}

}  // namespace
}  // namespace fanfold::testing
