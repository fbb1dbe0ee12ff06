#include "writer/outcome_follower.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

constexpr std::int32_t kPartitions = 4;

using Starts = std::vector<std::pair<std::int32_t, std::int64_t>>;

class OutcomeFollowerTest : public ::testing::Test {
 protected:
  void Wait(const std::string& event_id) {
    constexpr std::int64_t kLongMs = 3'600'000;
    ASSERT_TRUE(waiters_.Register(event_id, kLongMs, [this](const auto& outcome) {
      decided_ += outcome.has_value() ? 1 : 0;
    }));
  }

  FakeLog log_;
  SystemClock clock_;
  std::atomic<int> decided_{0};
  OutcomeWaiters waiters_{clock_, 100};
};

TEST_F(OutcomeFollowerTest, StartsAtTheEndOfEveryPartition) {
  const OutcomeFollower follower(log_, kPartitions, waiters_);
  ASSERT_TRUE(Eventually([&] { return follower.is_following(); }));
  EXPECT_EQ(log_.starts(), (Starts{{0, 100}, {1, 101}, {2, 102}, {3, 103}}));
}

TEST_F(OutcomeFollowerTest, PartitionsThatTheDeploymentHasNotAreLeftAlone) {
  log_.partitions = 2 * kPartitions;
  const OutcomeFollower follower(log_, kPartitions, waiters_);
  ASSERT_TRUE(Eventually([&] { return follower.is_following(); }));
  EXPECT_EQ(log_.starts().size(), std::size_t{kPartitions});
}

TEST_F(OutcomeFollowerTest, TellsTheOneWhoWaitsAndSkipsWhatCannotBeRead) {
  const OutcomeFollower follower(log_, kPartitions, waiters_);
  Wait("mine");
  log_.AddValue(Partition(2), "garbage");
  log_.AddOutcome(OutcomeOf("somebody else's"));
  log_.AddOutcome(OutcomeOf("mine"));
  EXPECT_TRUE(Eventually([&] { return decided_ == 1; }));
}

TEST_F(OutcomeFollowerTest, BeginsWhenTheLogComesBack) {
  log_.SetAway(true);
  const OutcomeFollower follower(log_, kPartitions, waiters_);
  EXPECT_FALSE(follower.is_following());
  log_.SetAway(false);
  EXPECT_TRUE(Eventually([&] { return follower.is_following(); }));
}

TEST_F(OutcomeFollowerTest, KeepsItsPlaceWhenAPollFails) {
  const OutcomeFollower follower(log_, kPartitions, waiters_);
  ASSERT_TRUE(Eventually([&] { return follower.is_following(); }));
  Wait("mine");
  log_.FailNextPoll(ErrorCode::kUnavailable);
  log_.AddOutcome(OutcomeOf("mine"));
  EXPECT_TRUE(Eventually([&] { return decided_ == 1; }));
  EXPECT_EQ(log_.readers_made(), 1);
}

TEST_F(OutcomeFollowerTest, StartsAgainWhenTheLogLostItsPlace) {
  const OutcomeFollower follower(log_, kPartitions, waiters_);
  ASSERT_TRUE(Eventually([&] { return follower.is_following(); }));
  log_.FailNextPoll(ErrorCode::kOutOfRange);
  EXPECT_TRUE(Eventually([&] { return log_.readers_made() == 2; }));
  EXPECT_TRUE(Eventually([&] { return follower.is_following(); }));
}

class OutcomeRestTest : public ::testing::Test {
 protected:
  OutcomeRestTest() {
    Steps(1);
    log_.AddOutcome(OutcomeOf("nobody's"));  // in partition 2
    clock_.steady_ms += OutcomeWaiters::kReadOnMs;
    Steps(1);
  }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) EXPECT_TRUE(reading_.Step(0));
  }
  void Wait(const std::string& event_id) {
    ASSERT_TRUE(waiters_.Register(event_id, OutcomeWaiters::kReadOnMs, [this](const auto& outcome) {
      decided_ += outcome.has_value() ? 1 : 0;
    }));
  }
  Starts LastStarts() {
    const Starts starts = log_.starts();
    return {starts.end() - kPartitions, starts.end()};
  }

  FakeLog log_;
  FakeClock clock_;
  int decided_ = 0;
  OutcomeWaiters waiters_{clock_, 100};
  OutcomeReading reading_{log_, kPartitions, waiters_};
};

TEST_F(OutcomeRestTest, NothingIsReadWhereNobodyWaits) {
  EXPECT_EQ(log_.stops(), kPartitions);
  EXPECT_TRUE(reading_.is_following()) << "whoever comes is told";
}

TEST_F(OutcomeRestTest, WhoeverComesIsReadForFromWhereItStood) {
  log_.Grow(5);
  Wait("mine");
  log_.AddOutcome(OutcomeOf("mine"));
  Steps(2);
  EXPECT_EQ(LastStarts(), (Starts{{0, 100}, {1, 101}, {2, 103}, {3, 103}}));
  EXPECT_EQ(decided_, 1);
  EXPECT_EQ(log_.readers_made(), 1);
}

TEST_F(OutcomeRestTest, WhoeverComesIsReadForFromTheLastLook) {
  log_.Grow(5);
  Steps(OutcomeReading::kStepsBetweenLooks);
  log_.Grow(5);
  Wait("mine");
  Steps(1);
  EXPECT_EQ(LastStarts(), (Starts{{0, 105}, {1, 106}, {2, 108}, {3, 108}}));
}

TEST_F(OutcomeRestTest, ALookThatIsNotAnsweredLeavesTheLastOne) {
  log_.SetAway(true);
  log_.Grow(5);
  Steps(OutcomeReading::kStepsBetweenLooks);
  log_.SetAway(false);
  Steps(OutcomeReading::kStepsAfterNoAnswer - 1);
  Wait("mine");
  Steps(1);
  EXPECT_TRUE(reading_.is_following());
  EXPECT_EQ(LastStarts(), (Starts{{0, 100}, {1, 101}, {2, 103}, {3, 103}}));
}

// It was decided before the ends were told.
TEST_F(OutcomeRestTest, WhoeverComesDuringALookIsReadForFromTheOneBefore) {
  log_.on_bounds = [&] {
    log_.on_bounds = nullptr;
    Wait("mine");
    log_.Grow(1);
  };
  Steps(OutcomeReading::kStepsBetweenLooks + 1);
  EXPECT_EQ(LastStarts(), (Starts{{0, 100}, {1, 101}, {2, 103}, {3, 103}}));
}

TEST_F(OutcomeRestTest, AStartThatFailsIsTriedAgain) {
  log_.SetAway(true);
  Wait("mine");
  EXPECT_EQ(reading_.Step(0).error().code, ErrorCode::kUnavailable);
  log_.SetAway(false);
  log_.AddOutcome(OutcomeOf("mine"));
  Steps(2);
  EXPECT_EQ(LastStarts(), (Starts{{0, 100}, {1, 101}, {2, 103}, {3, 103}}));
  EXPECT_EQ(decided_, 1);
}

TEST_F(OutcomeRestTest, ItIsReadOnForAWhile) {
  Wait("mine");
  Steps(1);
  log_.AddOutcome(OutcomeOf("mine"));
  Steps(1);
  clock_.steady_ms += OutcomeWaiters::kReadOnMs - 1;
  Steps(1);
  EXPECT_EQ(log_.stops(), kPartitions);
  ++clock_.steady_ms;
  Steps(1);
  EXPECT_EQ(log_.stops(), 2 * kPartitions);
}

TEST_F(OutcomeRestTest, ItIsReadAsLongAsSomebodyWaits) {
  Wait("mine");
  Steps(1);
  clock_.steady_ms += OutcomeWaiters::kReadOnMs;
  Steps(1);
  EXPECT_EQ(log_.stops(), kPartitions);
}

}  // namespace
}  // namespace fanfold::writer
