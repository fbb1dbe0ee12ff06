#include "writer/outcome_follower.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

Outcome OutcomeOf(const std::string& event_id) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kFollowed;
  outcome.position = {Partition(2), Offset(7)};
  outcome.event_id = event_id;
  outcome.subject = UserId(1);
  outcome.object = UserId(2);
  return outcome;
}

constexpr std::int32_t kPartitions = 4;

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
  using Starts = std::vector<std::pair<std::int32_t, std::int64_t>>;
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

}  // namespace
}  // namespace fanfold::writer
