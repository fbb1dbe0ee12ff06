#include "reader/freshness/topic_reading.h"

#include <gtest/gtest.h>
#include <string>

#include "common/relation/codec.h"
#include "reader/freshness/followed_log.h"
#include "reader/freshness/outcome_feed.h"
#include "tests/support/memory_log.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

class TopicReadingTest : public ::testing::Test {
 protected:
  static constexpr Partition kPartition{0};

  void Put(std::int64_t event) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kFollowed;
    outcome.position = {kPartition, Offset(event)};
    outcome.subject = UserId(1);
    outcome.object = UserId(static_cast<std::uint64_t>(event) + 2);
    log_.Put(topics::kRelationOutcomes, kPartition, "1", EncodeOutcome(outcome));
  }

  // Every lane of this generation stands at `at`; there are no others.
  void SetTables(std::int32_t generation, std::int64_t at) {
    tables_.SetAllLanes(at);
    board_.SetDeployment(
        Deployment{Placement::Modulo({4, 2}), {Generation(generation), Generation(generation)}});
    for (std::int32_t s = 0; s < 2; ++s) {
      std::vector<LaneStatus> lanes = tables_.LanesOf(Shard(s));
      for (LaneStatus& status : lanes) status.lane.generation = Generation(generation);
      board_.SetLanes(Shard(s), std::move(lanes));
    }
  }
  void StepToTheEnd() {
    ASSERT_TRUE(reading_.Step(0));
    ASSERT_TRUE(reading_.Step(0)) << "and nothing came";
  }
  [[nodiscard]] bool RecentMovesTake(std::size_t moves) const {
    const std::size_t bytes = moves * RecentMoves::kMoveBytes;
    return metrics_.Text().find("\nfanfold_reader_window_bytes " + std::to_string(bytes) + "\n") !=
           std::string::npos;
  }

  testing::FakeClock clock_;
  Metrics metrics_;
  testing::FakeTables tables_;
  testing::MemoryLog log_{4};
  PositionBoard board_{clock_, {4, 2}};
  LiveLists live_{2, {}, metrics_};
  OutcomeFeed feed_{live_, metrics_};
  TopicReading reading_{board_, feed_, log_, [] {}};
};

TEST_F(TopicReadingTest, KeepsTheMovesThatSomeTableLacks) {
  SetTables(1, 0);
  ASSERT_TRUE(reading_.Begin());
  for (std::int64_t event = 0; event < 5; ++event) Put(event);
  StepToTheEnd();
  EXPECT_TRUE(RecentMovesTake(5)) << metrics_.Text();
  SetTables(1, 3);
  StepToTheEnd();
  EXPECT_TRUE(RecentMovesTake(2)) << metrics_.Text();
}

TEST_F(TopicReadingTest, RecentMovesAreTrimmedOnceTheGenerationItBeganWithIsGone) {
  SetTables(1, 0);
  ASSERT_TRUE(reading_.Begin());
  for (std::int64_t event = 0; event < 5; ++event) Put(event);
  StepToTheEnd();
  SetTables(2, 5);
  StepToTheEnd();
  EXPECT_TRUE(RecentMovesTake(0)) << metrics_.Text();
}

// Somebody has made the topic again while it was stopped, or could not poll.
TEST_F(TopicReadingTest, WhoWasBlindProvesTheLogBeforeTheyTakeOfIt) {
  for (const bool was_away : {false, true}) {
    SCOPED_TRACE(was_away);
    auto& records = log_.Records(topics::kRelationOutcomes, kPartition);
    records.clear();
    for (std::int64_t event = 0; event < 2; ++event) Put(event);
    SetTables(1, 2);
    const RecordMark mark{Offset(1), DigestOf(*records[1].key, *records[1].value)};
    for (std::int32_t s = 0; s < 2; ++s) {
      std::vector<LaneStatus> lanes = tables_.LanesOf(Shard(s));
      for (LaneStatus& lane : lanes) {
        if (lane.lane.partition == kPartition) lane.progress.applied_mark = mark;
      }
      board_.SetLanes(Shard(s), std::move(lanes));
    }
    ASSERT_TRUE(reading_.Begin());
    StepToTheEnd();
    log_.BeAway(was_away);
    EXPECT_EQ(reading_.Step(0).has_value(), !was_away);
    log_.BeAway(false);
    if (!was_away) clock_.Advance(kUnseenMs + 1);
    records[1].value = "another";
    Put(2);
    const Status stepped = reading_.Step(0);
    ASSERT_FALSE(stepped);
    EXPECT_EQ(stepped.error().code, ErrorCode::kOutOfRange);
    reading_.End();
  }
}

}  // namespace
}  // namespace fanfold::reader
