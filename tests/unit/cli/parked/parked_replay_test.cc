#include "cli/parked/parked_replay.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "common/ports/profile_reader.h"
#include "common/relation/codec.h"
#include "common/stream/slot.h"
#include "operations/parked/parked_rows.h"
#include "operations/parked/replay.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using testing::kPartitions;
using Json = nlohmann::json;

Event Follow(std::uint64_t subject = 1, std::uint64_t object = 2) {
  Event event;
  event.event_id = "original";
  event.subject = UserId(subject);
  event.object = UserId(object);
  event.at_ms = 100;
  return event;
}

class ParkedReplayTest : public ::testing::Test {
 protected:
  ParkedReplayTest() { fake_.session.json = true; }

  // A record at the next offset of that partition.
  Position Put(Partition partition, const std::string& key, const std::string& value,
               std::int64_t appended_ms) {
    auto& records = Records(partition);
    records.push_back({key, value, appended_ms});
    return {partition, Offset(static_cast<std::int64_t>(records.size()) - 1)};
  }
  Position Put(const Event& event, std::int64_t appended_ms) {
    return Put(home_, "1", EncodeEvent(event), appended_ms);
  }
  Position Park(Position position, ParkReason reason, const std::string& key = "1",
                Projection projection = projections::kFollowing) {
    ParkedRow row;
    row.lane = {projection, Generation(1), position.partition};
    row.offset = position.offset;
    row.reason = reason;
    row.key = key;
    fake_.backend.shard_states[0].parked.push_back(row);
    return position;
  }
  // A fine event under another's key; parked at home.
  Position ParkedAtHome(const Event& event, std::int64_t appended_ms = 10) {
    return Park(Put(home_, "9", EncodeEvent(event), appended_ms), ParkReason::kKeyMismatch, "9");
  }
  // A fine event in the wrong partition.
  Position ParkedAbroad(const Event& event, std::int64_t appended_ms = 10) {
    return Park(Put(abroad_, "1", EncodeEvent(event), appended_ms), ParkReason::kWrongPartition);
  }

  ExitCode Replay(std::vector<Position> positions, bool dry_run = false) {
    operations::ParkedReplayOptions options;
    options.positions = std::move(positions);
    options.dry_run = dry_run;
    return RunParkedReplay(fake_.session, options);
  }
  [[nodiscard]] Json Told() const { return Json::parse(fake_.out.text()); }
  [[nodiscard]] std::string ResultOf(std::size_t i) const { return Told()["items"][i]["result"]; }
  [[nodiscard]] std::string DetailOf(std::size_t i) const { return Told()["items"][i]["detail"]; }

  std::vector<testing::FakeRecord>& Records(Partition partition) {
    return fake_.backend.log.Of(topics::kRelationEvents)[static_cast<std::size_t>(partition.value)];
  }
  [[nodiscard]] Event Last() { return DecodeEvent(*Records(home_).back().value).value_or(Event()); }

  FakeSession fake_{kPartitions};
  const Partition home_ = Placement::Modulo({kPartitions, 1}).PartitionOf(UserId(1));
  const Partition abroad_{(home_.value + 1) % kPartitions};
};

TEST_F(ParkedReplayTest, AppendsToTheSubjectsPartitionWithHisKey) {
  Put(Follow(1, 3), 5);
  const Position parked = ParkedAbroad(Follow());
  EXPECT_EQ(Replay({parked}), ExitCode::kFine) << fake_.err.text();
  ASSERT_EQ(Records(home_).size(), 2U);
  EXPECT_EQ(Records(home_).back().key, "1");
  const Event event = Last();
  EXPECT_EQ(event.subject, UserId(1));
  EXPECT_EQ(event.object, UserId(2));
  EXPECT_EQ(event.at_ms, 100) << "the edge's since is the one that was meant";
  EXPECT_EQ(event.replay_of, parked);
  EXPECT_EQ(event.if_version, Version(1)) << "the end that the scan reached";
  EXPECT_EQ(event.event_id.size(), 32U);
  EXPECT_EQ(Told()["items"][0]["new_position"], ToString(Position{home_, Offset(1)}));
  EXPECT_EQ(Told()["replayed"], 1);
}

TEST_F(ParkedReplayTest, OneParkedAtHomeLooksOnlyAtWhatCameAfterIt) {
  Put(Follow(), 5);
  const Position parked = ParkedAtHome(Follow());
  Put(Follow(1, 3), 20);
  EXPECT_EQ(Replay({parked}), ExitCode::kFine) << DetailOf(0);
  EXPECT_EQ(Last().if_version, Version(3));
}

TEST_F(ParkedReplayTest, LaterEventOfTheEdgeIsNamedAndNothingAppended) {
  const Position parked = ParkedAtHome(Follow());
  Event later = Follow();
  later.type = EventType::kUnfollow;
  const Position at = Put(later, 11);
  EXPECT_EQ(Replay({parked}), ExitCode::kRefused);
  EXPECT_EQ(ResultOf(0), "refused");
  EXPECT_NE(DetailOf(0).find(ToString(at)), std::string::npos) << DetailOf(0);
  EXPECT_EQ(Records(home_).size(), 2U);
}

TEST_F(ParkedReplayTest, LaterEventThatCameAfterTheScanStandsInTheWay) {
  const Position first = ParkedAbroad(Follow(1, 3));
  Event unfollow = Follow();
  unfollow.type = EventType::kUnfollow;
  const Position second = ParkedAbroad(unfollow);
  // Of an edge that is there already: decided as unchanged, so that its version does not move.
  fake_.backend.log.intruder_at = 0;
  fake_.backend.log.intruder = {"1", EncodeEvent(Follow()), 20};
  EXPECT_EQ(Replay({first, second}), ExitCode::kRefused);
  EXPECT_EQ(ResultOf(0), "replayed");
  EXPECT_EQ(ResultOf(1), "refused");
  EXPECT_NE(DetailOf(1).find(ToString(Position{home_, Offset(0)})), std::string::npos);
  EXPECT_EQ(fake_.backend.log.appends, 1);
}

TEST_F(ParkedReplayTest, EachIsBoundToTheEndThatWasLookedAtBeforeIt) {
  const Position first = ParkedAbroad(Follow(1, 3));
  const Position second = ParkedAbroad(Follow(1, 4));
  fake_.backend.log.intruder_at = 0;
  fake_.backend.log.intruder = {"1", EncodeEvent(Follow(1, 9)), 20};
  EXPECT_EQ(Replay({first, second}), ExitCode::kFine) << DetailOf(0) << DetailOf(1);
  EXPECT_EQ(Last().if_version, Version(2));
}

struct AgeCase {
  const char* name;
  std::int64_t other_appended_ms;
  ExitCode code;
};
void PrintTo(const AgeCase& age, std::ostream* out) { *out << age.name; }

class ParkedAbroadTest : public ParkedReplayTest, public ::testing::WithParamInterface<AgeCase> {};

TEST_P(ParkedAbroadTest, LaterIsWhatTheLogAppendedLater) {
  const Position parked = ParkedAbroad(Follow(), 10);
  Put(Follow(), GetParam().other_appended_ms);
  EXPECT_EQ(Replay({parked}), GetParam().code) << DetailOf(0);
}

INSTANTIATE_TEST_SUITE_P(Ages, ParkedAbroadTest,
                         ::testing::Values(AgeCase{"Earlier", 9, ExitCode::kFine},
                                           AgeCase{"AtTheSameMoment", 10, ExitCode::kRefused},
                                           AgeCase{"Later", 11, ExitCode::kRefused}),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

TEST_F(ParkedReplayTest, ReplayedOnceIsRefusedTheSecondTime) {
  const Position parked = ParkedAbroad(Follow());
  EXPECT_EQ(Replay({parked}), ExitCode::kFine);
  // As if it had been appended before: so the time alone would not refuse it.
  Records(home_).back().appended_ms = 1;
  FakeSession again(kPartitions);
  again.backend.log = fake_.backend.log;
  again.backend.shard_states = fake_.backend.shard_states;
  operations::ParkedReplayOptions options;
  options.positions = {parked};
  EXPECT_EQ(RunParkedReplay(again.session, options), ExitCode::kRefused);
  EXPECT_NE(again.out.text().find("replayed already, as"), std::string::npos) << again.out.text();
  EXPECT_EQ(again.backend.log.appends, 1);
}

TEST_F(ParkedReplayTest, OfTwoOfOneEdgeTheNewestAloneIsReplayed) {
  const Position older = ParkedAbroad(Follow(), 10);
  Event unfollow = Follow();
  unfollow.type = EventType::kUnfollow;
  const Position newer = ParkedAbroad(unfollow, 11);
  EXPECT_EQ(Replay({older, newer}), ExitCode::kRefused);
  EXPECT_EQ(ResultOf(0), "refused");
  EXPECT_EQ(ResultOf(1), "replayed");
  EXPECT_EQ(Last().type, EventType::kUnfollow);
}

TEST_F(ParkedReplayTest, ALaterOneThatIsParkedAbroadTooStandsInTheWay) {
  const Position older = ParkedAbroad(Follow(), 10);
  const Position newer = ParkedAbroad(Follow(), 11);
  EXPECT_EQ(Replay({older}), ExitCode::kRefused);
  EXPECT_NE(DetailOf(0).find(ToString(newer)), std::string::npos) << DetailOf(0);
}

TEST_F(ParkedReplayTest, DryRunAppendsNothing) {
  const Position parked = ParkedAbroad(Follow());
  EXPECT_EQ(Replay({parked}, true), ExitCode::kFine);
  EXPECT_EQ(ResultOf(0), "would_replay");
  EXPECT_EQ(fake_.backend.log.appends, 0);
}

TEST_F(ParkedReplayTest, WhatStillCannotBeReadSaysWhyAndWhatToDo) {
  const Position parked = Park(Put(home_, "1", "garbage", 10), ParkReason::kMalformed);
  EXPECT_EQ(Replay({parked}), ExitCode::kError);
  EXPECT_EQ(ResultOf(0), "unreadable");
  EXPECT_NE(DetailOf(0).find("malformed"), std::string::npos) << DetailOf(0);
  EXPECT_NE(DetailOf(0).find("sent again"), std::string::npos) << DetailOf(0);
  EXPECT_EQ(fake_.backend.log.appends, 0);
}

TEST_F(ParkedReplayTest, WhatThisBuildReadsNowIsReplayed) {
  const Position parked = Park(Put(Follow(), 10), ParkReason::kFutureVersion);
  EXPECT_EQ(Replay({parked}), ExitCode::kFine) << DetailOf(0);
}

TEST_F(ParkedReplayTest, LowerIfVersionOfTheOriginalStays) {
  Put(Follow(1, 3), 5);
  Put(Follow(1, 3), 5);
  Event event = Follow();
  event.if_version = Version(1);
  EXPECT_EQ(Replay({ParkedAbroad(event)}), ExitCode::kFine);
  EXPECT_EQ(Last().if_version, Version(1));
}

TEST_F(ParkedReplayTest, OutcomesAndSelfFollowsAreRefused) {
  const Position outcome =
      Park({home_, Offset(7)}, ParkReason::kUnreadableOutcome, "1", projections::kFans);
  const Position self = ParkedAtHome(Follow(1, 1));
  EXPECT_EQ(Replay({outcome, self}), ExitCode::kRefused);
  EXPECT_EQ(Told()["refused"], 2) << Told();
  EXPECT_EQ(fake_.backend.log.appends, 0);
}

// At that position of relation-events stands an event that nobody parked.
TEST_F(ParkedReplayTest, RecordsOfAnotherStreamAreRefused) {
  const Position profile =
      Park(Put(Follow(), 10), ParkReason::kMalformed, "1", projections::kProfiles);
  EXPECT_EQ(Replay({profile}), ExitCode::kRefused);
  EXPECT_EQ(ResultOf(0), "refused");
  EXPECT_NE(DetailOf(0).find("a record of user-events"), std::string::npos) << DetailOf(0);
  EXPECT_EQ(Records(home_).size(), 1U);
}

TEST_F(ParkedReplayTest, NothingParkedThereIsAnError) {
  EXPECT_EQ(Replay({{home_, Offset(3)}}), ExitCode::kError);
  EXPECT_NE(DetailOf(0).find("nothing is parked"), std::string::npos);
}

TEST_F(ParkedReplayTest, RecordThatIsGoneIsAnError) {
  EXPECT_EQ(Replay({Park({home_, Offset(3)}, ParkReason::kKeyMismatch)}), ExitCode::kError);
  EXPECT_NE(DetailOf(0).find("not in the log"), std::string::npos);
}

TEST_F(ParkedReplayTest, AllOfAReason) {
  ParkedAbroad(Follow(1, 2));
  ParkedAtHome(Follow(1, 3));
  Park(Put(home_, "1", "garbage", 10), ParkReason::kMalformed);
  operations::ParkedReplayOptions options;
  options.reason = ParkReason::kWrongPartition;
  EXPECT_EQ(RunParkedReplay(fake_.session, options), ExitCode::kFine);
  EXPECT_EQ(Told()["items"].size(), 1U);
  EXPECT_EQ(Last().object, UserId(2));
}

TEST_F(ParkedReplayTest, AppendThatFailsIsToldAsSuch) {
  const Position parked = ParkedAbroad(Follow());
  fake_.backend.log.fail_from = 0;
  EXPECT_EQ(Replay({parked}), ExitCode::kError);
  EXPECT_EQ(ResultOf(0), "failed");
  EXPECT_NE(DetailOf(0).find("Running it again is safe"), std::string::npos);
}

TEST(ReplayIsOffered, ForEventsOfRelationsThatCanBeRead) {
  using operations::MayBeReplayed;
  EXPECT_TRUE(MayBeReplayed(topics::kRelationEvents, ParkReason::kWrongPartition));
  EXPECT_TRUE(MayBeReplayed(topics::kRelationEvents, ParkReason::kKeyMismatch));
  EXPECT_FALSE(MayBeReplayed(topics::kRelationEvents, ParkReason::kMalformed));
  EXPECT_FALSE(MayBeReplayed(topics::kRelationEvents, ParkReason::kErased));
  EXPECT_FALSE(MayBeReplayed(topics::kRelationOutcomes, ParkReason::kUnreadableOutcome));
  EXPECT_FALSE(MayBeReplayed(topics::kPostEvents, ParkReason::kWrongPartition));
}

}  // namespace
}  // namespace fanfold
