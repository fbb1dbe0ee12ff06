// A deciding lane: what it decides, publishes, and how it comes back.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

#include "common/base/logging.h"
#include "projector/runtime/outbox_codec.h"
#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

using projections::kFollowing;

class Deciding : public ::testing::Test {
 protected:
  [[nodiscard]] Partition Home(std::uint64_t user) const {
    return deployment_.placement.PartitionOf(UserId(user));
  }
  [[nodiscard]] const MemoryTables& Tables() const { return deployment_.tables.front(); }

  // The outcomes that a partition's outbox holds, as they are published.
  [[nodiscard]] std::vector<MemoryRecord> OutboxOf(Partition partition) {
    std::vector<MemoryRecord> records;
    for (const auto& [first, row] : deployment_.LaneOf(kFollowing, partition).outbox) {
      std::string_view rest = row.outcomes;
      while (const auto record = TakeOutboxRecord(rest)) {
        records.push_back({std::string(record->key.value_or("")), std::string(record->value)});
      }
    }
    return records;
  }

  Deployment deployment_;
  RelationFold fold_{projections::kFollowing, FollowLimit(3)};
};

TEST_F(Deciding, WritesRowsCountsAndOneOutcomePerEvent) {
  deployment_.Follow(1, 2, 500);
  deployment_.Follow(1, 2);
  deployment_.Follow(1, 3);
  deployment_.Unfollow(1, 3);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(Tables().EdgeAt(kFollowing, UserId(1), UserId(2)), (Edge{true, 500, Version(1)}));
  EXPECT_EQ(Tables().EdgeAt(kFollowing, UserId(1), UserId(3)), (Edge{false, 100, Version(4)}));
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 1);
  const std::vector<Outcome> outcomes = deployment_.Outcomes(Home(1));
  ExpectDense(outcomes, 4);
  EXPECT_EQ(outcomes[0].kind, OutcomeKind::kFollowed);
  EXPECT_EQ(outcomes[1].kind, OutcomeKind::kUnchanged);
  EXPECT_EQ(outcomes[3].kind, OutcomeKind::kUnfollowed);
  deployment_.ExpectCountsEqualRows();
}

TEST_F(Deciding, LimitHoldsWithinOneBatchAndAcrossBatches) {
  for (std::uint64_t object = 10; object < 15; ++object) deployment_.Follow(1, object);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  deployment_.Follow(1, 20);
  deployment_.Settle(hand);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 3);
  const std::vector<Outcome> outcomes = deployment_.Outcomes(Home(1));
  ExpectDense(outcomes, 6);
  EXPECT_EQ(outcomes[2].kind, OutcomeKind::kFollowed);
  for (std::size_t i = 3; i < 6; ++i) {
    EXPECT_EQ(outcomes[i].rejected, RejectReason::kFollowLimit);
  }
}

TEST_F(Deciding, OutcomesAreCountedByKindAndReasonOnceTheyAreCommitted) {
  for (std::uint64_t object = 10; object < 15; ++object) deployment_.Follow(1, object);
  Hand hand = deployment_.Make(fold_);
  hand.store->FailNextCommit(ErrorCode::kUnavailable, /*applied=*/false);
  deployment_.Settle(hand, 200);
  deployment_.Follow(1, 10);
  deployment_.Settle(hand);
  const auto counted = [this](const char* outcome, const char* reason) {
    return deployment_.metrics
        .GetCounter("fanfold_projector_outcomes_total", "",
                    {{"projection", "following"}, {"outcome", outcome}, {"reason", reason}})
        .Value();
  };
  EXPECT_EQ(counted("followed", ""), 3);
  EXPECT_EQ(counted("unchanged", ""), 1);
  EXPECT_EQ(counted("rejected", "follow_limit"), 2);
}

TEST_F(Deciding, AnEndedAccountFollowsNobodyAndIsFollowedByNobody) {
  deployment_.Follow(1, 2);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  const ErasureKey ended{UserId(1), Version(1)};
  deployment_.tables[0].erasures[ended] = {ended, 0, {}, {EraseStage::kUnmeasured, {}, {}}, true};
  deployment_.Follow(1, 3);
  deployment_.Follow(2, 1);
  deployment_.Settle(hand);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 1);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(2)), 0);
  EXPECT_EQ(deployment_.Outcomes(Home(1)).back().rejected, RejectReason::kUserDeleted);
  EXPECT_EQ(deployment_.Outcomes(Home(2)).back().rejected, RejectReason::kUserDeleted);
  const ErasureKey restored{UserId(1), Version(2)};
  deployment_.tables[0].erasures[restored] = {restored, 0, {}, {EraseStage::kRestored, {}, {}}};
  deployment_.Follow(1, 3);
  deployment_.Settle(hand);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 2);
}

TEST_F(Deciding, WhatCannotBeDecidedIsParkedAndTheLaneGoesOn) {
  const Partition home = Home(1);
  deployment_.log.Put(topics::kRelationEvents, home, "1", "garbage");
  deployment_.log.Put(topics::kRelationEvents, home, std::nullopt, std::nullopt);
  Event strayed;
  strayed.subject = UserId(1);
  strayed.object = UserId(2);
  deployment_.log.Put(topics::kRelationEvents, Partition((home.value + 1) % 4), "1",
                      EncodeEvent(strayed));
  deployment_.Follow(1, 2);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  ASSERT_EQ(Tables().parked.size(), 3U);
  const std::vector<Outcome> outcomes = deployment_.Outcomes(home);
  ExpectDense(outcomes, 3);
  EXPECT_EQ(outcomes[0].parked, ParkReason::kMalformed);
  EXPECT_EQ(outcomes[2].kind, OutcomeKind::kFollowed);
  EXPECT_EQ(deployment_.Outcomes(Partition((home.value + 1) % 4)).at(0).parked,
            ParkReason::kWrongPartition);
  EXPECT_EQ(deployment_.log.Records(topics::kRelationOutcomes, home)[0].key, "1");
}

// As large as a broker takes them, beside a value that cannot be read.
TEST_F(Deciding, KeysOfAnySizeAreParkedAndTheirOutcomesPublished) {
  constexpr std::size_t kBrokerTakes = 1'000'000;
  deployment_.log.RefuseAbove(kBrokerTakes);
  const std::vector<std::size_t> sizes = {0, 1, 254, 255, 256, 1'000, kBrokerTakes};
  for (const std::size_t size : sizes) {
    deployment_.log.Put(topics::kRelationEvents, Home(1), std::string(size, 'k'), "garbage");
  }
  deployment_.Follow(1, 2);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  ExpectDense(deployment_.Outcomes(Home(1)), sizes.size() + 1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string cut(std::min<std::size_t>(sizes[i], 255), 'k');
    EXPECT_EQ(deployment_.log.Records(topics::kRelationOutcomes, Home(1))[i].key, cut);
    EXPECT_EQ(Tables().parked[i].key, cut);
  }
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 1);
}

TEST_F(Deciding, OutboxRowsAreCutByBytes) {
  constexpr std::size_t kRecords = 5'000;
  for (std::size_t i = 0; i < kRecords; ++i) {
    deployment_.log.Put(topics::kRelationEvents, Home(1), std::string(255, 'k'), "garbage");
  }
  deployment_.log.HoldAppends(true);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  const auto& outbox = deployment_.LaneOf(kFollowing, Home(1)).outbox;
  EXPECT_GT(outbox.size(), 1U);
  for (const auto& [first, row] : outbox) {
    EXPECT_LT(row.outcomes.size(), kOutboxRowBytesMax + 1'000);
  }
  deployment_.log.Deliver();
  deployment_.log.HoldAppends(false);
  deployment_.Settle(hand);
  ExpectDense(deployment_.Outcomes(Home(1)), kRecords);
  EXPECT_TRUE(outbox.empty());
}

TEST_F(Deciding, ABatchIsBoundInBytes) {
  const auto commits_of = [this](std::size_t records, std::size_t bytes) {
    Deployment deployment;
    for (std::size_t i = 0; i < records; ++i) {
      deployment.log.Put(topics::kRelationEvents, Partition(0), "1", std::string(bytes, 'g'));
    }
    Hand hand = deployment.Make(fold_);
    deployment.Settle(hand);
    ExpectDense(deployment.Outcomes(Partition(0)), records);
    return deployment.tables[0].commits;
  };
  // Twenty records of an eighth: four batches of five.
  EXPECT_EQ(commits_of(20, kBatchBytesMax / 8) - commits_of(20, 1), 3);
  // A record is folded, however large.
  EXPECT_EQ(commits_of(2, kBatchBytesMax + 1) - commits_of(2, 1), 1);
}

TEST_F(Deciding, AfterBatchesOfTooManyBytesFewerRecordsAreTakenAtOnce) {
  const auto commits_after = [this](std::size_t bytes) {
    Deployment deployment;
    Hand hand = deployment.Make(fold_);
    int before = 0;
    for (const std::size_t each : {bytes, std::size_t{1}}) {
      before = deployment.tables[0].commits;
      for (int i = 0; i < 20; ++i) {
        deployment.log.Put(topics::kRelationEvents, Partition(0), "1", std::string(each, 'g'));
      }
      deployment.Settle(hand);
    }
    return deployment.tables[0].commits - before;
  };
  EXPECT_GT(commits_after(kBatchBytesMax / 8), commits_after(1));
}

TEST_F(Deciding, ARecordThatTheDatabaseWillNeverTakeHaltsItsLaneAlone) {
  constexpr std::uint64_t kRefused = 77;
  const std::uint64_t other = [&] {
    for (std::uint64_t user = 2;; ++user) {
      if (Home(user) != Home(1)) return user;
    }
  }();
  for (const std::uint64_t object : {2, 3}) deployment_.Follow(1, object);
  const Position refused = deployment_.Follow(1, kRefused);
  deployment_.Follow(1, 4);
  for (const std::uint64_t object : {1001, 1002, 1003}) deployment_.Follow(other, object);
  Hand hand = deployment_.Make(fold_);
  hand.store->RefuseEdgesOf(UserId(kRefused));
  deployment_.Settle(hand);
  const MemoryLane& lane = deployment_.LaneOf(kFollowing, Home(1));
  EXPECT_EQ(lane.state, LaneState::kHalted);
  EXPECT_EQ(lane.reason, "batch_refused");
  EXPECT_EQ(lane.progress.next_offset, refused.offset);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 2);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(other)), 3);
  ExpectDense(deployment_.Outcomes(Home(1)), 2);
  ExpectDense(deployment_.Outcomes(Home(other)), 3);
  const int commits = Tables().commits;
  deployment_.Settle(hand);
  EXPECT_EQ(Tables().commits, commits);
}

TEST_F(Deciding, WhatASlowDatabaseCannotTakeInTimeIsFoldedInSmallerBatches) {
  constexpr std::size_t kFollows = 100;
  for (std::uint64_t i = 0; i < kFollows; ++i) deployment_.Follow(1 + i, 1'000);
  Hand hand = deployment_.Make(fold_);
  hand.store->TakeAtMost(3);
  deployment_.Settle(hand, 200);
  std::size_t decided = 0;
  for (const Partition partition : deployment_.AllPartitions()) {
    decided += deployment_.Outcomes(partition).size();
  }
  EXPECT_EQ(decided, kFollows);
  EXPECT_EQ(Tables().edges.size(), kFollows);
}

TEST_F(Deciding, AnEventThatIsMissingHaltsTheLaneBeforeIt) {
  deployment_.Follow(1, 2);
  const Position lost = deployment_.Follow(1, 3);
  deployment_.Follow(1, 4);
  deployment_.log.Lose(topics::kRelationEvents, Home(1), lost.offset);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  const MemoryLane& lane = deployment_.LaneOf(kFollowing, Home(1));
  EXPECT_EQ(lane.reason, "log_gap");
  EXPECT_EQ(lane.progress.next_offset, lost.offset);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 1);
  ExpectDense(deployment_.Outcomes(Home(1)), 1);
}

TEST_F(Deciding, AnOutcomeThatTheLogWillNeverTakeHaltsItsLane) {
  deployment_.log.RefuseAbove(10);
  deployment_.Follow(1, 2);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(deployment_.LaneOf(kFollowing, Home(1)).reason, "outcome_refused");
  deployment_.log.RefuseAbove(1'000);
  deployment_.tables[0].lanes[{kFollowing, Generation(1), Home(1)}].state = LaneState::kRunning;
  deployment_.Settle(hand);
  ExpectDense(deployment_.Outcomes(Home(1)), 1);
}

TEST_F(Deciding, WhereTheShardHasOtherGenerationsLanesHaltUntilItHasNot) {
  Hand hand = deployment_.Make(fold_);
  deployment_.Follow(1, 2);
  deployment_.Settle(hand);
  hand.worker->OrderToHalt(true);
  deployment_.Follow(1, 3);
  deployment_.Settle(hand);
  MemoryLane& lane = deployment_.tables[0].lanes[{kFollowing, Generation(1), Home(1)}];
  EXPECT_EQ(lane.reason, "other_generations");
  lane.state = LaneState::kRunning;
  deployment_.Settle(hand);
  EXPECT_EQ(lane.state, LaneState::kHalted) << "resumed too early";
  const auto decided = deployment_.Outcomes(Home(1)).size();
  hand.worker->OrderToHalt(false);
  lane.state = LaneState::kRunning;
  deployment_.Follow(1, 4);
  deployment_.Settle(hand);
  EXPECT_GT(deployment_.Outcomes(Home(1)).size(), decided);
  ExpectDense(deployment_.Outcomes(Home(1)), 3);
}

TEST_F(Deciding, KilledBeforePublishingPublishesFromTheOutbox) {
  deployment_.Follow(1, 2);
  deployment_.Follow(1, 3);
  deployment_.log.HoldAppends(true);
  Hand first = deployment_.Make(fold_);
  first.worker->Step(0);
  first.worker->Step(0);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 2);
  ASSERT_TRUE(deployment_.Outcomes(Home(1)).empty());
  deployment_.log.FailHeld();
  first.worker.reset();
  deployment_.log.HoldAppends(false);
  Hand second = deployment_.Make(fold_);
  deployment_.Settle(second);
  ExpectDense(deployment_.Outcomes(Home(1)), 2);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 2);
  EXPECT_TRUE(deployment_.LaneOf(kFollowing, Home(1)).outbox.empty());
}

TEST_F(Deciding, KilledWhilePublishingAddsOnlyTheRest) {
  for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(1, object);
  Hand first = deployment_.Make(fold_);
  first.worker->Step(0);
  first.worker->Step(0);
  first.worker.reset();
  // The tables still hold the outbox row; of its three outcomes two reached the topic.
  ASSERT_FALSE(deployment_.LaneOf(kFollowing, Home(1)).outbox.empty());
  deployment_.log.Records(topics::kRelationOutcomes, Home(1)).pop_back();
  Hand second = deployment_.Make(fold_);
  deployment_.Settle(second);
  ExpectDense(deployment_.Outcomes(Home(1)), 3);
}

TEST_F(Deciding, FailedAppendStartsAgainFromTheOutbox) {
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  deployment_.log.HoldAppends(true);
  deployment_.Follow(1, 2);
  hand.worker->Step(0);
  deployment_.log.FailHeld();
  deployment_.log.HoldAppends(false);
  deployment_.Settle(hand);
  deployment_.Follow(1, 3);
  deployment_.Settle(hand);
  ExpectDense(deployment_.Outcomes(Home(1)), 2);
}

TEST_F(Deciding, OutcomesBehindARefusedOneDoNotJumpOverIt) {
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(1, object);
  deployment_.log.RefuseAppends(1);
  hand.worker->Step(0);
  EXPECT_TRUE(deployment_.Outcomes(Home(1)).empty());
  deployment_.Settle(hand);
  ExpectDense(deployment_.Outcomes(Home(1)), 3);
  EXPECT_EQ(deployment_.LaneOf(kFollowing, Home(1)).state, LaneState::kRunning);
}

// The first owner is gone, what it published is still on its way: it lands among the second's.
TEST_F(Deciding, CopiesOfAnEarlierOwnerAmongOursAreNoHole) {
  const Partition home = Home(1);
  Hand first = deployment_.Make(fold_);
  deployment_.Settle(first);
  deployment_.log.HoldAppends(true);
  for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(1, object);
  first.worker->Step(0);
  deployment_.log.FailHeld();
  first.worker.reset();
  const std::vector<MemoryRecord> late = OutboxOf(home);
  Hand second = deployment_.Make(fold_);
  for (int i = 0; i < 3; ++i) second.worker->Step(0);
  deployment_.log.Records(topics::kRelationOutcomes, home) = {late[0], late[1]};
  deployment_.log.Deliver(1);
  deployment_.log.Records(topics::kRelationOutcomes, home).push_back(late[2]);
  deployment_.clock.now_ms += ShardWorker::kIdleMs;
  second.worker->Step(0);
  deployment_.log.FailHeld();
  deployment_.log.HoldAppends(false);
  deployment_.Settle(second);
  EXPECT_EQ(deployment_.LaneOf(kFollowing, home).reason, "");
  EXPECT_TRUE(deployment_.LaneOf(kFollowing, home).outbox.empty());
}

TEST_F(Deciding, CommitOfUnknownOutcomeIsNeitherLostNorDoubled) {
  for (const bool applied : {true, false}) {
    Deployment deployment;
    Hand hand = deployment.Make(fold_);
    deployment.Settle(hand);
    hand.store->FailNextCommit(ErrorCode::kUnknown, applied);
    deployment.Follow(1, 2);
    deployment.Settle(hand);
    EXPECT_EQ(deployment.tables[0].Count(kFollowing, UserId(1)), 1);
    ExpectDense(deployment.Outcomes(Home(1)), 1);
  }
}

TEST_F(Deciding, LateOwnerIsFencedAndWritesNothing) {
  Hand first = deployment_.Make(fold_);
  deployment_.Settle(first);
  first.worker->Step(0);  // it has just looked at its lanes
  Hand second = deployment_.Make(fold_);
  second.worker->Step(0);
  deployment_.Follow(1, 2);
  first.worker->Step(0);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 0);
  EXPECT_EQ(deployment_.following_metrics.fenced.Value(), 1);
  deployment_.Settle(second);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 1);
  ExpectDense(deployment_.Outcomes(Home(1)), 1);
}

// What a worker says that finds another fence than its own when a follow has come.
std::string SaidWhenFenced(Deployment& deployment, const RelationFold& fold,
                           const std::function<void()>& come_between) {
  Hand hand = deployment.Make(fold);
  deployment.Settle(hand);
  hand.worker->Step(0);  // it has just looked at its lanes
  come_between();
  deployment.Follow(1, 2);
  StartLogging("test", LogLevel::kInfo);
  ::testing::internal::CaptureStderr();
  hand.worker->Step(0);
  return ::testing::internal::GetCapturedStderr();
}

TEST_F(Deciding, WhatAnOperatorOrdersIsNoFailure) {
  const std::string said = SaidWhenFenced(deployment_, fold_, [this] {
    MemoryLane& lane = deployment_.tables.front().lanes[{kFollowing, Generation(1), Home(1)}];
    lane.owner = "test";  // as the worker calls itself
    lane.state = LaneState::kPaused;
    lane.fence.nonce += 1;
  });
  EXPECT_NE(said.find("lanes changed by an operator"), said.npos) << said;
  EXPECT_EQ(said.find("failed"), said.npos);
  EXPECT_EQ(said.find(R"("level":"warning")"), said.npos) << said;
}

TEST_F(Deciding, ALaneThatWasTakenOverIsWarnedOf) {
  const std::string said = SaidWhenFenced(deployment_, fold_, [this] {
    MemoryLane& lane = deployment_.tables.front().lanes[{kFollowing, Generation(1), Home(1)}];
    lane.owner = "another";
    lane.fence.nonce += 1;
  });
  EXPECT_NE(said.find("batch failed"), said.npos) << said;
}

TEST_F(Deciding, RestoredTablesReplayWhatWasDecidedWhateverTheLimitIsNow) {
  const std::vector<MemoryTables> backup = deployment_.tables;
  for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(1, object);
  Hand first = deployment_.Make(fold_);
  deployment_.Settle(first);
  first.worker.reset();
  deployment_.tables = backup;
  const RelationFold lower(projections::kFollowing, FollowLimit(1));
  Hand second = deployment_.Make(lower);
  deployment_.Settle(second);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 3);
  ExpectDense(deployment_.Outcomes(Home(1)), 3);
  deployment_.Follow(1, 9);
  deployment_.Settle(second);
  EXPECT_EQ(deployment_.Outcomes(Home(1)).back().rejected, RejectReason::kFollowLimit);
  ExpectDense(deployment_.Outcomes(Home(1)), 4);
}

TEST_F(Deciding, RestoredTablesListAgainWhatWasParked) {
  deployment_.Follow(1, 2);
  const std::vector<MemoryTables> backup = deployment_.tables;
  deployment_.log.Put(topics::kRelationEvents, Home(1), "1", "garbage");
  Hand first = deployment_.Make(fold_);
  deployment_.Settle(first);
  ASSERT_EQ(Tables().parked.size(), 1U);
  first.worker.reset();
  deployment_.tables = backup;
  Hand second = deployment_.Make(fold_);
  deployment_.Settle(second);
  ASSERT_EQ(Tables().parked.size(), 1U);
  const ParkedRow& again = Tables().parked.front();
  EXPECT_EQ(again.offset, Offset(1)) << "of the event";
  EXPECT_EQ(again.reason, ParkReason::kMalformed);
  EXPECT_EQ(again.key, "1");
  ExpectDense(deployment_.Outcomes(Home(1)), 2);
}

TEST_F(Deciding, LosesGiveUpWithNothingInFlight) {
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  deployment_.Follow(1, 2);
  hand.worker->Step(0);
  const Partition home = Home(1);
  hand.worker->Lose({&home, 1});
  EXPECT_TRUE(deployment_.LaneOf(kFollowing, home).outbox.empty());
  deployment_.Follow(1, 3);
  deployment_.Settle(hand);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 1);
}

TEST_F(Deciding, IdleLaneThatWasRewoundFoldsAgain) {
  Hand hand = deployment_.Make(fold_);
  deployment_.Follow(1, 2);
  deployment_.Settle(hand);
  MemoryTables& tables = deployment_.tables[0];
  MemoryLane& lane = tables.lanes[{kFollowing, Generation(1), Home(1)}];
  lane.fence.nonce += 1;
  lane.progress = {};
  tables.edges.clear();
  tables.counts.clear();
  deployment_.Settle(hand);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 1);
  ExpectDense(deployment_.Outcomes(Home(1)), 1);
}

TEST_F(Deciding, StoppedLaneGoesOnSoonAfterItsStateIsRunning) {
  const LaneId home{kFollowing, Generation(1), Home(1)};
  for (const LaneState stopped : {LaneState::kPaused, LaneState::kHalted}) {
    Deployment deployment;
    MemoryLane& lane = deployment.tables.front().lanes[home];
    lane.deciding = kDeciding;
    lane.state = stopped;
    Hand hand = deployment.Make(fold_);
    deployment.Settle(hand);
    deployment.Follow(1, 2);
    deployment.Settle(hand);
    ASSERT_EQ(deployment.tables.front().Count(kFollowing, UserId(1)), 0);
    lane.state = LaneState::kRunning;
    deployment.clock.now_ms += ShardWorker::kLookMs;
    for (int step = 0; step < 3; ++step) hand.worker->Step(0);
    EXPECT_EQ(deployment.tables.front().Count(kFollowing, UserId(1)), 1);
    ExpectDense(deployment.Outcomes(Home(1)), 1);
  }
}

TEST_F(Deciding, StoppedLaneIsLookedAtNoMoreOftenThanItsInterval) {
  MemoryLane& lane = deployment_.tables.front().lanes[{kFollowing, Generation(1), Home(1)}];
  lane.state = LaneState::kPaused;
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  hand.worker->Step(0);
  const std::uint64_t epoch = lane.fence.epoch;
  for (int step = 0; step < 5; ++step) hand.worker->Step(0);
  EXPECT_EQ(lane.fence.epoch, epoch);
  deployment_.clock.now_ms += ShardWorker::kLookMs;
  for (int step = 0; step < 5; ++step) hand.worker->Step(0);
  EXPECT_EQ(lane.fence.epoch, epoch + 1);
}

TEST_F(Deciding, StoppedLaneOfAnotherOwnerIsNotStolenBack) {
  MemoryLane& lane = deployment_.tables.front().lanes[{kFollowing, Generation(1), Home(1)}];
  lane.state = LaneState::kPaused;
  Hand first = deployment_.Make(fold_);
  first.worker->Step(0);
  Hand second = deployment_.Make(fold_);
  second.worker->Step(0);
  const Fence seconds = lane.fence;
  deployment_.clock.now_ms += ShardWorker::kLookMs;
  first.worker->Step(0);
  EXPECT_EQ(lane.fence, seconds);
}

struct HaltCase {
  const char* name;
  void (*damage)(Deployment&, Partition);
  const char* reason;
};
void PrintTo(const HaltCase& halt, std::ostream* out) { *out << halt.name; }

class HaltsTest : public ::testing::TestWithParam<HaltCase> {};

TEST_P(HaltsTest, LaneHaltsWithTheReasonAndWritesNothing) {
  Deployment deployment;
  const RelationFold projection{projections::kFollowing, FollowLimit(1000)};
  const Partition home = deployment.placement.PartitionOf(UserId(1));
  for (std::uint64_t object = 2; object < 6; ++object) deployment.Follow(1, object);
  Hand first = deployment.Make(projection);
  deployment.Settle(first);
  first.worker.reset();
  GetParam().damage(deployment, home);
  deployment.Follow(1, 50);
  const std::size_t outcomes = deployment.log.Records(topics::kRelationOutcomes, home).size();
  Hand second = deployment.Make(projection);
  deployment.Settle(second);
  const MemoryLane& lane = deployment.LaneOf(projections::kFollowing, home);
  EXPECT_EQ(lane.state, LaneState::kHalted);
  EXPECT_EQ(lane.reason, GetParam().reason);
  EXPECT_EQ(deployment.tables[0].Count(projections::kFollowing, UserId(1)), 4);
  EXPECT_EQ(deployment.log.Records(topics::kRelationOutcomes, home).size(), outcomes);
}

INSTANTIATE_TEST_SUITE_P(
    Damages, HaltsTest,
    ::testing::Values(HaltCase{"EventTopicCreatedAgain",
                               [](Deployment& d, Partition p) {
                                 d.log.Records(topics::kRelationEvents, p).clear();
                               },
                               "log_truncated"},
                      HaltCase{"AnotherLogOfTheSameLength",
                               [](Deployment& d, Partition p) {
                                 for (auto& record : d.log.Records(topics::kRelationEvents, p))
                                   record.value = "{}";
                               },
                               "log_mismatch"},
                      HaltCase{"OutcomesTailLost",
                               [](Deployment& d, Partition p) {
                                 d.log.Records(topics::kRelationOutcomes, p).pop_back();
                               },
                               "outcomes_truncated"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(TakingLanes, PartitionsThatTheDeploymentHasNotGetNoLane) {
  Deployment deployment(1, Deployment::kPartitions, Deployment::kPartitions);
  const RelationFold following{projections::kFollowing, FollowLimit(3)};
  const RelationFold fans{projections::kFans, FollowLimit(0)};
  for (const Fold* projection :
       {static_cast<const Fold*>(&following), static_cast<const Fold*>(&fans)}) {
    Hand hand = deployment.Make(*projection);
    hand.worker->Gain(std::vector{Partition(Deployment::kPartitions)});
    deployment.log.Put(topics::kRelationEvents, Partition(Deployment::kPartitions), "1", "{}");
    deployment.Settle(hand);
  }
  const auto& lanes = deployment.tables.front().lanes;
  EXPECT_EQ(lanes.size(), 2U * Deployment::kPartitions);
  for (const auto& [id, lane] : lanes) EXPECT_LT(id.partition.value, Deployment::kPartitions);
}

}  // namespace
}  // namespace fanfold::testing
