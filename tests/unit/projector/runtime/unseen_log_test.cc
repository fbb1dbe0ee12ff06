// What may have happened to a log while a lane did not see it.
#include <gtest/gtest.h>
#include <initializer_list>

#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr std::uint64_t kUser = 1;
constexpr std::uint64_t kStranger = 900;

// They were made again under the decider, who reads them no more: that it appends says nothing of
// what it knew.
TEST(UnseenOutcomes, ThatWereMadeAgainHaltTheDeciderThatAppends) {
  Deployment deployment;
  const RelationFold following(projections::kFollowing, FollowLimit(1000));
  Hand hand = deployment.Make(following);
  // Without a pause in which they could have been made again.
  const auto go_on = [&](std::int64_t for_ms) {
    for (std::int64_t ms = 0; ms < for_ms; ms += kStepMs) {
      hand.worker->Step(0);
      deployment.clock.now_ms += kStepMs;
    }
  };
  for (std::uint64_t object = 2; object < 5; ++object) {
    deployment.Follow(kUser, object);
    go_on(1'000);
  }
  const Partition home = deployment.placement.PartitionOf(UserId(kUser));
  const RecordMark known = deployment.LaneOf(projections::kFollowing, home).progress.applied_mark;
  deployment.log.Records(topics::kRelationOutcomes, home).clear();
  deployment.Follow(kUser, 9);
  go_on(2 * ShardWorker::kStandstillMs);
  const MemoryLane& lane = deployment.LaneOf(projections::kFollowing, home);
  EXPECT_EQ(lane.reason, "outcomes_truncated");
  EXPECT_EQ(lane.progress.applied_mark, known);
}

struct Blindness {
  const char* name;
  void (*happens)(Deployment&, Hand&);
};
void PrintTo(const Blindness& blindness, std::ostream* out) { *out << blindness.name; }

class UnseenLog : public ::testing::TestWithParam<Blindness> {
 protected:
  [[nodiscard]] Partition Home() const { return deployment_.placement.PartitionOf(UserId(kUser)); }
  // Another log in the place of this one, which has grown past the lane's position.
  void Replace(Topic topic) {
    auto& records = deployment_.log.Records(topic, Home());
    Deployment other;
    for (std::uint64_t i = 0; i <= records.size(); ++i) other.Follow(kUser, kStranger + i, 7);
    Hand decider = other.Make(following_);
    other.Settle(decider);
    records = other.log.Records(topic, Home());
  }
  // The decider folds, something happens unseen, and these topics are others'.
  void DecideAndReplace(std::initializer_list<Topic> topics) {
    Hand hand = deployment_.Make(following_);
    for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(kUser, object);
    deployment_.Settle(hand);
    GetParam().happens(deployment_, hand);
    for (const Topic topic : topics) Replace(topic);
    deployment_.Settle(hand);
  }
  void ExpectHalted(Projection projection) {
    const MemoryLane& lane = deployment_.LaneOf(projection, Home());
    EXPECT_EQ(lane.reason, "log_mismatch");
    for (const auto& [key, edge] : deployment_.tables[0].edges) {
      EXPECT_LT(std::get<2>(key).user, UserId(kStranger));
      EXPECT_LT(std::get<2>(key).other, UserId(kStranger));
    }
  }

  Deployment deployment_;
  RelationFold following_{projections::kFollowing, FollowLimit(1000)};
  RelationFold fans_{projections::kFans, FollowLimit(0)};
};

TEST_P(UnseenLog, OfEventsThatWasReplacedHaltsTheDecider) {
  DecideAndReplace({topics::kRelationEvents});
  ExpectHalted(projections::kFollowing);
}

// What the other log's outcomes say is never taken.
TEST_P(UnseenLog, OfWhichBothTopicsWereReplacedHaltsTheDecider) {
  DecideAndReplace({topics::kRelationEvents, topics::kRelationOutcomes});
  ExpectHalted(projections::kFollowing);
}

// It proves nothing, and may come yet.
TEST_P(UnseenLog, WhoseLastRecordDoesNotComeIsNotFoldedOn) {
  Hand hand = deployment_.Make(following_);
  const Position last = deployment_.Follow(kUser, 2);
  deployment_.Settle(hand);
  GetParam().happens(deployment_, hand);
  deployment_.log.Lose(topics::kRelationEvents, Home(), last.offset);
  Hand next = deployment_.Make(following_);
  deployment_.Settle(next);
  EXPECT_FALSE(next.worker->Health());
  EXPECT_EQ(deployment_.LaneOf(projections::kFollowing, Home()).reason, "");
}

TEST_P(UnseenLog, WithAHoleInThePlaceOfItsLastRecordHaltsTheDecider) {
  Hand hand = deployment_.Make(following_);
  const Position last = deployment_.Follow(kUser, 2);
  deployment_.Settle(hand);
  GetParam().happens(deployment_, hand);
  deployment_.log.Lose(topics::kRelationEvents, Home(), last.offset);
  deployment_.Follow(kUser, 3);
  Hand next = deployment_.Make(following_);
  deployment_.Settle(next);
  ExpectHalted(projections::kFollowing);
  EXPECT_EQ(deployment_.tables[0].Count(projections::kFollowing, UserId(kUser)), 1);
}

TEST_P(UnseenLog, OfWhichTheOutcomesWereReplacedHaltsTheDecider) {
  DecideAndReplace({topics::kRelationOutcomes});
  ExpectHalted(projections::kFollowing);
}

// What operators and a restore do to a lane, which leaves it what it knows of its log.
TEST_P(UnseenLog, OfALaneThatWasMovedBackHaltsIt) {
  Hand hand = deployment_.Make(following_);
  for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(kUser, object);
  deployment_.Settle(hand);
  LaneProgress& at =
      deployment_.tables[0].lanes[{projections::kFollowing, Generation(1), Home()}].progress;
  at.next_offset = at.event_offset = at.outcome_offset = at.published_offset = Offset(0);
  GetParam().happens(deployment_, hand);
  for (const Topic topic : {topics::kRelationEvents, topics::kRelationOutcomes}) Replace(topic);
  Hand next = deployment_.Make(following_);
  deployment_.Settle(next);
  ExpectHalted(projections::kFollowing);
}

// Its tables were lost, and folded again from what was decided.
TEST_P(UnseenLog, OfALaneThatCameByOutcomesAloneHaltsIt) {
  Hand hand = deployment_.Make(following_);
  for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(kUser, object);
  deployment_.Settle(hand);
  deployment_.tables[0] = {};
  Hand again = deployment_.Make(following_);
  deployment_.Settle(again);
  EXPECT_NE(deployment_.LaneOf(projections::kFollowing, Home()).progress.event_mark.digest, 0U);
  GetParam().happens(deployment_, again);
  Replace(topics::kRelationEvents);
  deployment_.Settle(again);
  ExpectHalted(projections::kFollowing);
}

// As a build of before left it.
TEST_P(UnseenLog, ThatALaneHasYetToLearnIsLearned) {
  Hand hand = deployment_.Make(following_);
  deployment_.Follow(kUser, 2);
  deployment_.Settle(hand);
  LaneProgress& at =
      deployment_.tables[0].lanes[{projections::kFollowing, Generation(1), Home()}].progress;
  const LaneProgress known = std::exchange(
      at, {at.next_offset, at.event_offset, at.outcome_offset, at.published_offset, {}, {}});
  ASSERT_NE(at, known);
  GetParam().happens(deployment_, hand);
  Hand next = deployment_.Make(following_);
  deployment_.Settle(next);
  EXPECT_EQ(deployment_.LaneOf(projections::kFollowing, Home()).progress, known);
}

TEST_P(UnseenLog, OfOutcomesThatWasReplacedHaltsThoseWhoApply) {
  Hand decider = deployment_.Make(following_);
  for (std::uint64_t object = 2; object < 5; ++object) deployment_.Follow(kUser, object);
  deployment_.Settle(decider);
  Hand hand = deployment_.Make(fans_);
  deployment_.Settle(hand);
  GetParam().happens(deployment_, hand);
  Replace(topics::kRelationOutcomes);
  deployment_.Settle(hand);
  ExpectHalted(projections::kFans);
}

TEST_P(UnseenLog, ThatIsTheSameIsFoldedOn) {
  Hand hand = deployment_.Make(following_);
  deployment_.Follow(kUser, 2);
  deployment_.Settle(hand);
  GetParam().happens(deployment_, hand);
  deployment_.Follow(kUser, 3);
  deployment_.Settle(hand);
  EXPECT_EQ(deployment_.tables[0].Count(projections::kFollowing, UserId(kUser)), 2);
}

INSTANTIATE_TEST_SUITE_P(, UnseenLog,
                         ::testing::Values(Blindness{"StoodStill",
                                                     [](Deployment& deployment, Hand&) {
                                                       deployment.clock.now_ms +=
                                                           ShardWorker::kStandstillMs + 1;
                                                     }},
                                           Blindness{"LogWasAway",
                                                     [](Deployment& deployment, Hand& hand) {
                                                       deployment.log.BeAway(true);
                                                       hand.worker->Step(0);
                                                       deployment.log.BeAway(false);
                                                     }}),
                         [](const auto& blindness) { return std::string(blindness.param.name); });

// Folding again, it knows of the log what it knew.
TEST(Marks, OfALaneThatWasMovedBackStayUntilItHasComeFurther) {
  TakenLane taken;
  taken.lane = {projections::kFollowing, Generation(1), Partition(0)};
  taken.deciding = kDeciding;
  taken.progress.event_mark = {Offset(1), 77};
  LaneSet lanes;
  Lane& lane = lanes.Add(taken);
  lane.phase = LanePhase::kDeciding;
  const auto take = [&](std::int64_t offset) {
    const LogRecord record{Partition(0), Offset(offset), 0, "1", "an event"};
    EXPECT_EQ(TakeEvents(lanes, std::span(&record, 1)).size(), 1U);
    return lane.draft.event_mark;
  };
  EXPECT_EQ(take(0), (RecordMark{Offset(1), 77}));
  EXPECT_EQ(take(1), (RecordMark{Offset(1), DigestOf("1", "an event")}));
  EXPECT_EQ(take(2), (RecordMark{Offset(2), DigestOf("1", "an event")}));
}

// Else an order to stop would wait for every lane's time out.
TEST(LogAway, AStepWaitsForItOnce) {
  Deployment deployment;
  const RelationFold following{projections::kFollowing, FollowLimit(1000)};
  Hand hand = deployment.Make(following);
  deployment.log.BeAway(true);
  hand.worker->Step(0);
  EXPECT_EQ(deployment.log.waits(), 1);
}

TEST(LogAway, KeepsAWorkerWithoutLanesFromNothing) {
  Deployment deployment;
  const RelationFold following{projections::kFollowing, FollowLimit(1000)};
  Hand hand = deployment.Make(following);
  deployment.Settle(hand);
  deployment.log.BeAway(true);
  hand.worker->Step(0);
  EXPECT_FALSE(hand.worker->Health());
  hand.worker->Lose(deployment.AllPartitions());
  for (int step = 0; step < 2; ++step) {
    hand.worker->Step(0);
    EXPECT_TRUE(hand.worker->Health());
  }
}

TEST(LogAway, LanesAreTakenEverMoreSeldom) {
  constexpr std::int64_t kAwayMs = 60'000;
  Deployment deployment;
  const RelationFold following{projections::kFollowing, FollowLimit(1000)};
  Hand hand = deployment.Make(following);
  deployment.log.BeAway(true);
  for (std::int64_t ms = 0; ms < kAwayMs; ms += kStepMs) {
    hand.worker->Step(0);
    deployment.clock.now_ms += kStepMs;
  }
  EXPECT_FALSE(hand.worker->Health());
  // 50, 100, 200 … 5000 ms, then every 5 s.
  const double claims_of_a_lane =
      deployment.following_metrics.claims.Value() / Deployment::kPartitions;
  EXPECT_LE(claims_of_a_lane, 20);
  EXPECT_GE(claims_of_a_lane, 10);
  deployment.log.BeAway(false);
  deployment.Follow(kUser, 2);
  deployment.Settle(hand);
  EXPECT_TRUE(hand.worker->Health());
  EXPECT_EQ(deployment.tables[0].Count(projections::kFollowing, UserId(kUser)), 1);
}

}  // namespace
}  // namespace fanfold::testing
