#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/ports/edge_kind.h"
#include "common/relation/codec.h"
#include "projector/audit/record_scan.h"
#include "projector/audit/row_histories.h"
#include "projector/runtime/outbox_codec.h"
#include "tests/unit/projector/audit/planted_tables.h"

namespace fanfold {

using namespace projector;
namespace {

using testing::FreePace;
using testing::MemoryLog;

constexpr Partition kPartition(0);

Outcome OutcomeAt(std::int64_t event, OutcomeKind kind = OutcomeKind::kFollowed) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.position = {kPartition, Offset(event)};
  outcome.subject = UserId(1);
  outcome.object = UserId(2);
  outcome.since_ms = 500;
  return outcome;
}

class Outcomes : public ::testing::Test {
 protected:
  void Put(const std::string& value) {
    log_.Put(topics::kRelationOutcomes, kPartition, "1", value);
  }
  void Put(const Outcome& outcome) { Put(EncodeOutcome(outcome)); }

  static OutboxRow OutboxOf(std::int64_t first, std::int64_t next) {
    OutboxRow row{kPartition, Generation(1), Offset(first), Offset(next), {}};
    for (std::int64_t event = first; event < next; ++event) {
      const std::string value = EncodeOutcome(OutcomeAt(event));
      projector::AppendOutboxRecord(row.outcomes, {"1", value});
    }
    return row;
  }

  Status ReadOn() { return scan_.ReadOn(take_); }

  MemoryLog log_{1};
  FreePace pace_;
  std::unique_ptr<LogReader> reader_ = *log_.NewReader(topics::kRelationOutcomes);
  RecordScan scan_{projections::kFollowing, log_, *reader_, pace_, 1, kPartition};
  std::vector<std::int64_t> taken_;
  const RecordScan::Take take_ = [this](const SaidRecord& said, const LogRecord&) {
    taken_.push_back(said.event.value);
  };
};

TEST_F(Outcomes, AreTakenOnceInOrderAndReadingGoesOnWhereItEnded) {
  Put(OutcomeAt(0));
  Put(OutcomeAt(1));
  Put(OutcomeAt(0));  // a copy
  ASSERT_TRUE(ReadOn());
  Put(OutcomeAt(2));
  ASSERT_TRUE(ReadOn());
  EXPECT_EQ(taken_, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(scan_.next_event(), Offset(3));
}

TEST_F(Outcomes, EndAtTheFirstThatIsMissing) {
  Put(OutcomeAt(0));
  Put("garbage");
  Put(OutcomeAt(2));
  ASSERT_TRUE(ReadOn());
  EXPECT_EQ(taken_, std::vector<std::int64_t>{0});
  EXPECT_EQ(scan_.next_event(), Offset(1));
}

TEST_F(Outcomes, OutboxGoesOnWhereTheTopicEnds) {
  Put(OutcomeAt(0));
  Put(OutcomeAt(1));
  ASSERT_TRUE(ReadOn());
  const std::vector<OutboxRow> outbox = {OutboxOf(1, 3), OutboxOf(3, 4)};
  scan_.ReadOutbox(outbox, take_);
  EXPECT_EQ(taken_, (std::vector<std::int64_t>{0, 1, 2, 3}));
}

TEST_F(Outcomes, PaceStopsTheReading) {
  Put(OutcomeAt(0));
  pace_.stop_at = 1;
  const Status read = ReadOn();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kTimeout);
}

TEST_F(Outcomes, HistoryKnowsTheEdgeAtEveryPosition) {
  Put(OutcomeAt(0));
  Put(OutcomeAt(1, OutcomeKind::kUnchanged));
  Put(OutcomeAt(2, OutcomeKind::kUnfollowed));
  const RecordKey follow{UserId(1), UserId(2)};
  RowHistories histories(projections::kFans, log_, pace_, 1, {follow});
  ASSERT_TRUE(histories.ReadOn());
  const Edge followed{true, 500, Version(1)};
  const std::vector<Edge> expected = {{}, followed, followed, {false, 500, Version(3)}};
  for (std::int64_t position = 0; position <= 3; ++position) {
    EXPECT_EQ(EdgeOf(histories.At(follow, Offset(position), {}).value().state),
              expected[static_cast<std::size_t>(position)])
        << position;
  }
  const auto beyond = histories.At(follow, Offset(4), {});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, ErrorCode::kUnavailable);
  const std::vector<OutboxRow> outbox = {OutboxOf(3, 4)};
  EXPECT_EQ(EdgeOf(histories.At(follow, Offset(4), outbox).value().state),
            (Edge{true, 500, Version(4)}));
}

}  // namespace
}  // namespace fanfold
