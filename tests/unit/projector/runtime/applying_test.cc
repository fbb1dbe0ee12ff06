// Applying lanes: the fan table on one shard and on several.
#include <gtest/gtest.h>

#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr auto kFans = projections::kFans;

Outcome Followed(Position position, std::uint64_t subject, std::uint64_t object) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kFollowed;
  outcome.position = position;
  outcome.event_id = "e";
  outcome.subject = UserId(subject);
  outcome.object = UserId(object);
  outcome.at_ms = 100;
  outcome.since_ms = 100;
  return outcome;
}

class Applying : public ::testing::Test {
 protected:
  static constexpr Partition kPartition{0};

  void Put(std::int64_t event_offset, std::uint64_t object) {
    deployment_.log.Put(topics::kRelationOutcomes, kPartition, "1",
                        EncodeOutcome(Followed({kPartition, Offset(event_offset)}, 1, object)));
  }
  void PutGarbage() { deployment_.log.Put(topics::kRelationOutcomes, kPartition, "1", "garbage"); }
  [[nodiscard]] const MemoryLane& Lane() { return deployment_.LaneOf(kFans, kPartition); }
  [[nodiscard]] std::int64_t FansOf(std::uint64_t user) const {
    return deployment_.tables[0].Count(kFans, UserId(user));
  }

  Deployment deployment_;
  RelationFold fold_{projections::kFans, FollowLimit(0)};
};

TEST_F(Applying, WritesTheFanOfEachFollow) {
  Put(0, 2);
  Put(1, 3);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(deployment_.tables[0].EdgeAt(kFans, UserId(2), UserId(1)),
            (Edge{true, 100, Version(1)}));
  EXPECT_EQ(FansOf(3), 1);
  EXPECT_EQ(Lane().progress.event_offset, Offset(2));
  deployment_.ExpectCountsEqualRows();
}

TEST_F(Applying, AFanOfAnEndedAccountReopensItsEnd) {
  const auto end = [&](std::uint64_t user, std::int64_t reach, bool stays) {
    const ErasureKey key{UserId(user), Version(1)};
    Erasure& erasure = deployment_.tables[0].erasures[key];
    erasure = {key, 0, {}, {EraseStage::kDone, UserId(0), {}}, stays};
    erasure.ends[streams::kRelations].assign(Deployment::kPartitions, Offset(reach));
    return &erasure.progress;
  };
  const ErasureProgress* reached = end(2, 0, true);
  const ErasureProgress* covered = end(3, 9, true);
  const ErasureProgress* lives = end(4, 0, false);
  for (std::int64_t event = 0; event < 3; ++event)
    Put(event, static_cast<std::uint64_t>(event) + 2);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(reached->stage, EraseStage::kUnmeasured);
  const UserId drawn = reached->behind;
  EXPECT_EQ(covered->stage, EraseStage::kDone) << "its end reaches above the follow";
  EXPECT_EQ(lives->stage, EraseStage::kDone) << "it did not stay deleted";
  Put(3, 2);
  deployment_.Settle(hand);
  EXPECT_EQ(reached->behind, UserId(drawn.value + 1))
      << "who has measured since has to do so again";
}

TEST_F(Applying, ARecordThatTheDatabaseWillNeverTakeHaltsTheLaneAtIt) {
  for (std::int64_t event = 0; event < 6; ++event)
    Put(event, static_cast<std::uint64_t>(event) + 2);
  Hand hand = deployment_.Make(fold_);
  hand.store->RefuseEdgesOf(UserId(6));
  deployment_.Settle(hand);
  EXPECT_EQ(Lane().reason, "batch_refused");
  EXPECT_EQ(Lane().progress.event_offset, Offset(4));
  EXPECT_EQ(FansOf(5), 1);
  EXPECT_EQ(FansOf(6), 0);
}

// The one that is missing may have been a copy: nobody can tell.
TEST_F(Applying, AnOutcomeRecordThatIsMissingHaltsTheLaneBeforeIt) {
  Put(0, 2);
  Put(0, 2);
  Put(1, 3);
  deployment_.log.Lose(topics::kRelationOutcomes, kPartition, Offset(1));
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(Lane().reason, "log_gap");
  EXPECT_EQ(Lane().progress.next_offset, Offset(1));
  EXPECT_EQ(FansOf(2), 1);
  EXPECT_EQ(FansOf(3), 0);
}

TEST_F(Applying, CopiesAreDroppedAndCounted) {
  Put(0, 2);
  Put(0, 2);
  Put(1, 3);
  Put(0, 2);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(FansOf(2), 1);
  EXPECT_EQ(Lane().progress.event_offset, Offset(2));
  EXPECT_EQ(Lane().progress.next_offset, Offset(4));
  EXPECT_EQ(deployment_.fans_metrics.repeats.Value(), 2);
}

TEST_F(Applying, GapHaltsAtTheRecordBeforeIt) {
  Put(0, 2);
  Put(2, 3);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(Lane().state, LaneState::kHalted);
  EXPECT_EQ(Lane().reason, "outcome_gap");
  EXPECT_EQ(Lane().progress.next_offset, Offset(1));
  EXPECT_EQ(FansOf(3), 0);
}

// The record at which a lane halts is not the one before its position.
TEST_F(Applying, GapThatWasMendedInTheTopicIsPassedWhenTheLaneIsResumed) {
  Put(0, 2);
  Put(2, 4);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  ASSERT_EQ(Lane().reason, "outcome_gap");
  deployment_.log.Records(topics::kRelationOutcomes, kPartition).pop_back();
  Put(1, 3);
  Put(2, 4);
  deployment_.tables[0].lanes[{kFans, Generation(1), kPartition}].state = LaneState::kRunning;
  deployment_.Settle(hand);
  EXPECT_EQ(Lane().state, LaneState::kRunning) << Lane().reason;
  EXPECT_EQ(Lane().progress.event_offset, Offset(3));
}

TEST_F(Applying, UnreadableOutcomeIsParkedAndHaltsOnlyIfItWasExpected) {
  Put(0, 2);
  PutGarbage();
  Put(1, 3);
  PutGarbage();
  Put(3, 4);
  Hand hand = deployment_.Make(fold_);
  deployment_.Settle(hand);
  EXPECT_EQ(deployment_.tables[0].parked.size(), 2U);
  EXPECT_EQ(deployment_.tables[0].parked[0].reason, ParkReason::kUnreadableOutcome);
  EXPECT_EQ(FansOf(3), 1);
  EXPECT_EQ(Lane().reason, "outcome_unreadable");
  EXPECT_EQ(Lane().progress.next_offset, Offset(4));
}

TEST_F(Applying, TakesUpWhereTheTablesSay) {
  Put(0, 2);
  Hand first = deployment_.Make(fold_);
  deployment_.Settle(first);
  first.worker.reset();
  Put(1, 3);
  Hand second = deployment_.Make(fold_);
  deployment_.Settle(second);
  EXPECT_EQ(FansOf(2), 1);
  EXPECT_EQ(FansOf(3), 1);
  EXPECT_EQ(deployment_.fans_metrics.repeats.Value(), 0);
}

TEST_F(Applying, AnotherLogHalts) {
  Put(0, 2);
  Hand first = deployment_.Make(fold_);
  deployment_.Settle(first);
  first.worker.reset();
  deployment_.log.Records(topics::kRelationOutcomes, kPartition).clear();
  Put(0, 7);
  Put(1, 3);
  Hand second = deployment_.Make(fold_);
  deployment_.Settle(second);
  EXPECT_EQ(Lane().reason, "log_mismatch");
  EXPECT_EQ(FansOf(3), 0);
}

TEST(ApplyingShards, EachShardTakesItsObjectsAndMovesOverTheRest) {
  Deployment deployment(4);
  const RelationFold following{projections::kFollowing, FollowLimit(1000)};
  const RelationFold fans{projections::kFans, FollowLimit(0)};
  for (std::uint64_t object = 2; object < 40; ++object) deployment.Follow(1, object);
  const Position last = deployment.Unfollow(1, 2);
  for (std::int32_t shard = 0; shard < 4; ++shard) {
    Hand decider = deployment.Make(following, shard);
    deployment.Settle(decider);
  }
  std::int64_t rows = 0;
  for (std::int32_t shard = 0; shard < 4; ++shard) {
    Hand applier = deployment.Make(fans, shard);
    deployment.Settle(applier);
    const MemoryTables& tables = deployment.tables[static_cast<std::size_t>(shard)];
    for (const auto& [key, n] : tables.counts) {
      if (std::get<0>(key) != kFans) continue;
      EXPECT_EQ(deployment.placement.ShardOf(std::get<2>(key)), Shard(shard));
      rows += n;
    }
    EXPECT_EQ(deployment.LaneOf(kFans, last.partition, static_cast<std::size_t>(shard))
                  .progress.event_offset,
              Next(last.offset));
  }
  EXPECT_EQ(rows, 37);
  deployment.ExpectCountsEqualRows();
}

}  // namespace
}  // namespace fanfold::testing
