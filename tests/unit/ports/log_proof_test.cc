#include "common/ports/log_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "common/ports/profile_reader.h"
#include "tests/support/memory_log.h"

namespace fanfold {
namespace {

using ::testing::HasSubstr;
using testing::MemoryLog;

constexpr Topic kEvents = topics::kRelationEvents;
constexpr Topic kOutcomes = topics::kRelationOutcomes;
constexpr Partition kHome{1};

std::string ValueAt(std::int64_t offset) { return "value " + std::to_string(offset); }
RecordMark MarkAt(std::int64_t offset) { return {Offset(offset), DigestOf("1", ValueAt(offset))}; }

// ---- which mark is asked for ----

struct Asked {
  const char* name;
  LaneProgress progress;
  bool deciding;
  Topic topic;
  std::optional<RecordMark> mark;
};
void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.name; }

LaneProgress At(std::int64_t next, std::int64_t event, std::int64_t outcome,
                RecordMark of_event = {}, RecordMark of_applied = {}) {
  return {Offset(next), Offset(event), Offset(outcome), Offset(event), of_event, of_applied};
}

class MarkOfALane : public ::testing::TestWithParam<Asked> {};

TEST_P(MarkOfALane, IsTheLastThatItKnowsOrTheRecordBeforeItsPosition) {
  const Asked& asked = GetParam();
  EXPECT_EQ(MarkOf(asked.progress, asked.deciding, asked.topic), asked.mark);
}

INSTANTIATE_TEST_SUITE_P(
    , MarkOfALane,
    ::testing::Values(
        Asked{"NewDecider", At(0, 0, 0), kDeciding, kEvents, std::nullopt},
        Asked{"NewDeciderOfOutcomes", At(0, 0, 0), kDeciding, kOutcomes, std::nullopt},
        Asked{"Decider", At(5, 5, 6, MarkAt(4), MarkAt(5)), kDeciding, kEvents, MarkAt(4)},
        Asked{"DeciderOfOutcomes", At(5, 5, 6, MarkAt(4), MarkAt(5)), kDeciding, kOutcomes,
              MarkAt(5)},
        Asked{"Rewound", At(0, 0, 0, MarkAt(4), MarkAt(5)), kDeciding, kEvents, MarkAt(4)},
        Asked{"UnknownEvent", At(5, 5, 6), kDeciding, kEvents, RecordMark{Offset(4), 0}},
        Asked{"UnknownOutcome", At(5, 5, 6), kDeciding, kOutcomes, RecordMark{Offset(5), 0}},
        Asked{"Applying", At(6, 5, 6, {}, MarkAt(5)), kApplying, kOutcomes, MarkAt(5)},
        Asked{"ApplyingReadsNoEvents", At(6, 5, 6, {}, MarkAt(5)), kApplying, kEvents,
              std::nullopt},
        Asked{"HasDecided", At(6, 5, 6, MarkAt(4), MarkAt(5)), kApplying, kEvents, MarkAt(4)}),
    [](const auto& asked) { return std::string(asked.param.name); });

// ---- how it stands to the log ----

class Proof : public ::testing::Test {
 protected:
  Proof() {
    for (std::int64_t offset = 0; offset < 6; ++offset) {
      log_.Put(kEvents, kHome, "1", ValueAt(offset));
      log_.Put(kOutcomes, kHome, "1", ValueAt(offset));
    }
  }
  Result<MarkFound> Look(const RecordMark& mark, LogBounds held = {Offset(0), Offset(6)}) {
    return MarkReader(log_).Look(kEvents, std::vector{MarkAsked{kHome, mark, held}}).front();
  }
  static LaneStatus Lane(Projection projection, bool deciding, const LaneProgress& progress) {
    LaneStatus status;
    status.lane = {projection, Generation(1), kHome};
    status.deciding = deciding;
    status.progress = progress;
    return status;
  }
  static LaneStatus Decider() {
    return Lane(projections::kFollowing, kDeciding, At(6, 6, 6, MarkAt(5), MarkAt(5)));
  }
  static LaneStatus Fans() {
    return Lane(projections::kFans, kApplying, At(4, 4, 4, {}, MarkAt(3)));
  }
  Error Refusal(std::vector<LaneStatus> lanes) {
    const Status same = proof_.Check(lanes);
    EXPECT_FALSE(same);
    return same ? Error() : same.error();
  }
  void ReplaceAt(Topic topic, std::size_t offset) {
    log_.Records(topic, kHome)[offset].value = "another";
  }

  MemoryLog log_{2};
  LogProof proof_{log_};
};

TEST_F(Proof, FindsTheRecord) { EXPECT_EQ(Look(MarkAt(3))->standing, MarkStanding::kSame); }

TEST_F(Proof, FindsAnotherRecordInItsPlace) {
  EXPECT_EQ(Look({Offset(3), 77})->standing, MarkStanding::kOther);
}

TEST_F(Proof, SaysWhichRecordStandsWhereNoneIsKnown) {
  EXPECT_EQ(Look({Offset(3), 0})->digest, MarkAt(3).digest);
}

TEST_F(Proof, FindsThatTheTopicEndsBelow) {
  EXPECT_EQ(Look(MarkAt(6))->standing, MarkStanding::kCut);
}

TEST_F(Proof, FindsThatTheTopicBeginsAbove) {
  EXPECT_EQ(Look(MarkAt(1), {Offset(2), Offset(6)})->standing, MarkStanding::kGone);
}

TEST_F(Proof, OfAHoleInTheTopicSaysThatItIsAnother) {
  log_.Lose(kEvents, kHome, Offset(3));
  EXPECT_EQ(Look(MarkAt(3))->standing, MarkStanding::kOther);
}

TEST_F(Proof, OfARecordThatDoesNotComeSaysNothing) {
  log_.Lose(kEvents, kHome, Offset(5));
  EXPECT_EQ(Look(MarkAt(5)).error().code, ErrorCode::kUnavailable);
}

// What others know disproves a log all the same.
TEST_F(Proof, WhoHasYetToLearnHidesNoOtherLog) {
  const LaneStatus unlearned = Lane(projections::kFollowing, kDeciding, At(6, 6, 6, MarkAt(5)));
  EXPECT_EQ(Refusal({unlearned, Fans()}).code, ErrorCode::kUnavailable);
  ReplaceAt(kOutcomes, 3);
  EXPECT_EQ(Refusal({unlearned, Fans()}).code, ErrorCode::kRefused);
}

// Who only names the log, or reads it, needs no lane that runs.
TEST_F(Proof, OfMarksAlonePassesWhoIsHaltedOrHasYetToLearn) {
  LaneStatus halted = Decider();
  halted.state = LaneState::kHalted;
  halted.state_reason = "log_gap";
  const LaneStatus unlearned = Lane(projections::kFans, kApplying, At(4, 4, 4));
  const auto asks = LogProof::Asks::kMarksAlone;
  EXPECT_EQ(Refusal({halted}).code, ErrorCode::kRefused);
  EXPECT_TRUE(proof_.Check(std::vector{halted, unlearned}, asks));
  EXPECT_EQ(proof_.Check(std::vector{unlearned}, asks).error().code, ErrorCode::kNotFound)
      << "nothing is known";
  ReplaceAt(kEvents, 5);
  EXPECT_EQ(proof_.Check(std::vector{halted, unlearned}, asks).error().code, ErrorCode::kRefused);
}

// It has to be resumed; until then others know as much of the partition.
TEST_F(Proof, WhoStandsAndHasYetToLearnLeavesItToOthers) {
  LaneStatus paused = Lane(projections::kFans, kApplying, At(4, 4, 4));
  EXPECT_THAT(Refusal({Decider(), paused}).message, HasSubstr("its projector has to run"));
  paused.state = LaneState::kPaused;
  EXPECT_TRUE(proof_.Check(std::vector{Decider(), paused}));
  EXPECT_THAT(Refusal({paused}).message, HasSubstr("has to be resumed"));
}

// Of two partitions, two topics, or two shards.
TEST_F(Proof, WhatDoesNotAnswerHidesNoOtherLog) {
  LaneStatus silent = Decider();
  silent.lane.partition = Partition(0);
  for (std::int64_t offset = 0; offset < 6; ++offset) {
    log_.Put(kEvents, Partition(0), "1", ValueAt(offset));
    log_.Put(kOutcomes, Partition(0), "1", ValueAt(offset));
  }
  log_.Lose(kEvents, Partition(0), Offset(5));
  EXPECT_EQ(Refusal({silent, Decider()}).code, ErrorCode::kUnavailable);
  const auto lanes_of = [&](Shard shard) -> Result<std::vector<LaneStatus>> {
    if (shard == Shard(0)) return Fail(ErrorCode::kUnavailable, "away");
    return std::vector{Decider()};
  };
  const auto of_shards = [&] {
    return proof_.CheckStream(streams::kRelations, ReadGenerations(), 2, lanes_of).error().code;
  };
  EXPECT_EQ(of_shards(), ErrorCode::kUnavailable);
  ReplaceAt(kOutcomes, 5);
  EXPECT_EQ(Refusal({silent, Decider()}).code, ErrorCode::kRefused);
  EXPECT_EQ(of_shards(), ErrorCode::kRefused);
}

TEST_F(Proof, HoldsForLanesOfThisLog) { EXPECT_TRUE(proof_.Check(std::vector{Decider(), Fans()})); }

TEST_F(Proof, AsksForWhatTheFurthestLaneKnows) {
  ReplaceAt(kOutcomes, 5);
  EXPECT_EQ(Refusal({Fans(), Decider()}).code, ErrorCode::kRefused);
  EXPECT_TRUE(proof_.Check(std::vector{Fans()}));
}

TEST_F(Proof, RefusesALogWithOtherEvents) {
  ReplaceAt(kEvents, 5);
  EXPECT_THAT(Refusal({Decider()}).message,
              HasSubstr("relation-events/1 is not the log that following/g1/1 was folded from"));
}

TEST_F(Proof, RefusesALogThatIsShorter) {
  log_.Records(kOutcomes, kHome).resize(2);
  EXPECT_THAT(Refusal({Fans()}).message, HasSubstr("log_truncated"));
}

TEST_F(Proof, RefusesWhereALaneIsHaltedForTheLog) {
  LaneStatus fans = Fans();
  fans.state = LaneState::kHalted;
  fans.state_reason = "log_mismatch";
  EXPECT_THAT(Refusal({Decider(), fans}).message, HasSubstr("fans/g1/1 is halted (log_mismatch)"));
}

TEST_F(Proof, HoldsWhereALaneIsHaltedForAnotherReason) {
  LaneStatus fans = Fans();
  fans.state = LaneState::kHalted;
  fans.state_reason = "batch_refused";
  EXPECT_TRUE(proof_.Check(std::vector{Decider(), fans}));
}

TEST_F(Proof, WaitsForALaneThatHasYetToLearnItsLastRecord) {
  LaneStatus decider = Decider();
  decider.progress.applied_mark = {};
  EXPECT_EQ(Refusal({decider}).code, ErrorCode::kUnavailable);
}

TEST_F(Proof, SaysNothingWhileTheLogIsAway) {
  log_.BeAway(true);
  EXPECT_EQ(Refusal({Decider()}).code, ErrorCode::kUnavailable);
}

TEST_F(Proof, AsksLanesThatAreReadOrDecide) {
  LaneStatus second = Decider();
  second.lane.generation = Generation(2);
  LaneStatus side = Fans();
  side.lane.generation = Generation(3);
  const LaneStatus profiles = Lane(projections::kProfiles, kApplying, At(1, 1, 1));
  const auto witnesses = WitnessesOf(std::vector{second, side, Fans(), profiles},
                                     streams::kRelations, ReadGenerations());
  ASSERT_EQ(witnesses.size(), 2);
  EXPECT_EQ(witnesses[0].lane, second.lane);
  EXPECT_EQ(witnesses[1].lane, Fans().lane);
}

}  // namespace
}  // namespace fanfold
