// A log that is read beside the process that writes it: two openings of one file.
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "common/base/clock.h"
#include "common/sqlite/log_ends.h"
#include "tests/support/wait_until.h"
#include "tests/unit/sqlite/log_under_test.h"

namespace fanfold {
namespace {

using testing::kPatienceMs;

class LogBeside : public testing::LogByHand {
 protected:
  void AppendNow(std::int32_t partition, const std::string& value,
                 Topic topic = topics::kRelationEvents) {
    const auto appender = Appender(topic);
    Append(*appender, partition, value);
    log_->CommitQueued();
  }

  std::unique_ptr<EventLog> beside_ = std::move(*OpenSqliteEventLogBeside(path()));
};

TEST_F(LogBeside, BoundsAreTheFilesWheneverTheyAreAskedFor) {
  for (std::int64_t end = 1; end <= 2; ++end) {
    AppendNow(1, "a");
    AppendNow(2, "b", topics::kRelationOutcomes);
    EXPECT_EQ(beside_->Bounds(topics::kRelationEvents, Partition(1))->end.value, end);
    EXPECT_EQ(beside_->Bounds(topics::kRelationOutcomes, Partition(2))->end.value, end);
  }
  EXPECT_EQ(beside_->Bounds(topics::kRelationEvents, Partition(0))->end.value, 0);
  EXPECT_EQ(beside_->Bounds(topics::kRelationEvents, Partition(kPartitions)).error().code,
            ErrorCode::kNotFound);
}

TEST_F(LogBeside, ReaderThatWaitsSeesWhatTheOtherAppends) {
  const auto reader = std::move(*beside_->NewReader(topics::kRelationEvents));
  ASSERT_TRUE(reader->Start(Partition(3), Offset(0)).has_value());
  const SystemClock clock;
  const std::int64_t start_ms = clock.SteadyMs();
  std::jthread later([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * sqlite::LogEnds::kLookIntervalMs));
    AppendNow(3, "v");
  });
  const Result<LogBatch> batch = reader->Poll(10, kPatienceMs);
  ASSERT_TRUE(batch.has_value()) << batch.error().message;
  ASSERT_EQ(batch->records.size(), 1U);
  EXPECT_EQ(batch->records.front().value, "v");
  EXPECT_LT(clock.SteadyMs() - start_ms, kPatienceMs / 2);
}

TEST_F(LogBeside, ReaderStartsAtWhatTheOtherHasAppendedSince) {
  AppendNow(0, "a");
  const auto reader = std::move(*beside_->NewReader(topics::kRelationEvents));
  ASSERT_TRUE(reader->Start(Partition(0), Offset(1)).has_value());
  EXPECT_TRUE(reader->Poll(10, 0)->records.empty());
  AppendNow(0, "b");
  EXPECT_EQ(reader->Poll(10, 0)->records.size(), 1U);
}

TEST_F(LogBeside, HasNoAppendersAndIsNotMade) {
  EXPECT_EQ(beside_->NewAppender(topics::kRelationEvents, {}).error().code, ErrorCode::kRefused);
  EXPECT_TRUE(beside_->Ping(0).has_value());
  const std::string none = folder_.path() + "/none.db";
  EXPECT_EQ(OpenSqliteEventLogBeside(none).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace fanfold
