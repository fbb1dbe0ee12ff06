#include "reader/freshness/topic_follower.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "common/relation/codec.h"
#include "reader/freshness/outcome_feed.h"
#include "tests/support/memory_log.h"
#include "tests/support/wait_until.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

using testing::FakeTables;
using testing::MemoryLog;
using testing::WaitUntil;

// Outcomes are in the topic before anybody follows it.
class TopicFollowerTest : public ::testing::Test {
 protected:
  static constexpr Partition kPartition{0};

  TopicFollowerTest() { tables_.SetAllLanes(0); }

  // The outcome of the partition's nth event.
  void Put(std::int64_t event) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kUnchanged;
    outcome.position = {kPartition, Offset(event)};
    outcome.subject = UserId(1);
    outcome.object = UserId(2);
    log_.Put(topics::kRelationOutcomes, kPartition, "1", EncodeOutcome(outcome));
  }

  void LookAtTables() {
    board_.SetDeployment(Deployment{Placement::Modulo({4, 2}), {}});
    for (std::int32_t s = 0; s < 2; ++s) board_.SetLanes(Shard(s), tables_.LanesOf(Shard(s)));
  }

  void Follow(const std::function<void(const TopicFollower&)>& look) {
    LookAtTables();
    OutcomeFeed feed(live_, metrics_);
    const TopicFollower follower(board_, feed, log_, FollowerSeries::OfOutcomes(metrics_), [] {});
    look(follower);
  }

  [[nodiscard]] bool IsAt(std::int64_t next) const {
    return live_.Next(kPartition) == Offset(next);
  }
  [[nodiscard]] bool HasMetric(const std::string& line) const {
    return metrics_.Text().find("\n" + line + "\n") != std::string::npos;
  }

  SystemClock clock_;
  Metrics metrics_;
  FakeTables tables_;
  MemoryLog log_{4};
  PositionBoard board_{clock_, {4, 2}};
  LiveLists live_{2, {}, metrics_};
};

TEST_F(TopicFollowerTest, ComesToTheEndAndSaysSo) {
  for (std::int64_t event = 0; event < 5; ++event) Put(event);
  Follow([&](const TopicFollower& follower) {
    EXPECT_TRUE(WaitUntil([&] { return follower.CaughtUp().has_value(); }));
    EXPECT_TRUE(IsAt(5));
    EXPECT_TRUE(HasMetric("fanfold_reader_follows_outcomes 1"));
  });
  EXPECT_FALSE(live_.Next(kPartition)) << "nobody follows any more";
}

TEST_F(TopicFollowerTest, StartsAtTheSlowestFans) {
  for (std::int64_t event = 0; event < 5; ++event) Put(event);
  tables_.SetAllLanes(4);
  tables_.SetLane(projections::kFans, kPartition, Shard(1), 2);
  // The fakes' lanes have no place in the topic, so it is read from its beginning: all repeats.
  Follow([&](const TopicFollower& follower) {
    EXPECT_TRUE(WaitUntil([&] { return follower.CaughtUp().has_value(); }));
    EXPECT_TRUE(IsAt(5));
    EXPECT_TRUE(HasMetric("fanfold_reader_repeated_outcomes_total 2"));
  });
}

TEST_F(TopicFollowerTest, CopiesAreDropped) {
  for (const std::int64_t event : {0, 1, 1, 0, 2}) Put(event);
  Follow([&](const TopicFollower&) {
    EXPECT_TRUE(WaitUntil([&] { return IsAt(3); }));
    EXPECT_TRUE(HasMetric("fanfold_reader_repeated_outcomes_total 2"));
  });
}

TEST_F(TopicFollowerTest, AGapLosesThePosition) {
  for (const std::int64_t event : {0, 1, 3}) Put(event);
  Follow([&](const TopicFollower& follower) {
    EXPECT_TRUE(WaitUntil([&] { return HasMetric("fanfold_reader_outcomes_lost_total 1"); }));
    EXPECT_TRUE(WaitUntil([&] { return !live_.Next(kPartition); }));
    EXPECT_TRUE(follower.CaughtUp().has_value()) << "the tables answer";
  });
}

TEST_F(TopicFollowerTest, AShardThatGoesAwayAfterALossTakesNothingBack) {
  for (const std::int64_t event : {0, 1, 3}) Put(event);
  Follow([&](const TopicFollower& follower) {
    EXPECT_TRUE(WaitUntil([&] { return HasMetric("fanfold_reader_outcomes_lost_total 1"); }));
    board_.SetShardFailed(Shard(1), {ErrorCode::kUnavailable, "gone"});
    const std::int64_t began_ms = clock_.SteadyMs();
    EXPECT_TRUE(WaitUntil([&] {  // a try or two
      return !follower.CaughtUp() || clock_.SteadyMs() - began_ms > 3 * TopicFollower::kRetryMs;
    }));
    EXPECT_TRUE(follower.CaughtUp().has_value()) << "the tables answer";
  });
}

TEST_F(TopicFollowerTest, WhatCannotBeReadIsPassedOverAndCounted) {
  Put(0);
  log_.Put(topics::kRelationOutcomes, kPartition, "1", "garbage");
  Put(1);
  Follow([&](const TopicFollower&) {
    EXPECT_TRUE(WaitUntil([&] { return live_.Next(kPartition) == Offset(2); }));
    EXPECT_TRUE(HasMetric("fanfold_reader_unreadable_outcomes_total 1"));
    EXPECT_TRUE(HasMetric("fanfold_reader_outcomes_lost_total 0"));
  });
}

TEST_F(TopicFollowerTest, AnOutcomeThatCannotBeReadLosesThePosition) {
  Put(0);
  log_.Put(topics::kRelationOutcomes, kPartition, "1", "garbage");
  Put(2);
  Follow([&](const TopicFollower& follower) {
    EXPECT_TRUE(WaitUntil([&] { return HasMetric("fanfold_reader_outcomes_lost_total 1"); }));
    EXPECT_TRUE(WaitUntil([&] { return !live_.Next(kPartition); }));
    EXPECT_TRUE(follower.CaughtUp().has_value()) << "the tables answer";
  });
}

TEST_F(TopicFollowerTest, GoesOnPastWhatTheTablesHave) {
  for (const std::int64_t event : {0, 1, 3, 4}) Put(event);
  Follow([&](const TopicFollower&) {
    EXPECT_TRUE(WaitUntil([&] { return HasMetric("fanfold_reader_outcomes_lost_total 1"); }));
    tables_.SetAllLanes(4);  // an operator's word, or a rebuild
    LookAtTables();
    EXPECT_TRUE(WaitUntil([&] { return IsAt(5); }));
  });
}

}  // namespace
}  // namespace fanfold::reader
