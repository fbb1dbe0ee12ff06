#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/faulty_disk.h"
#include "tests/unit/sqlite/log_under_test.h"

namespace fanfold {
namespace {

using ::testing::ElementsAre;
using testing::FaultyDisk;
using ::testing::IsEmpty;

using GroupCommit = testing::LogByHand;

TEST_F(GroupCommit, NothingIsInTheLogOrAnsweredBeforeTheCommit) {
  const auto appender = Appender();
  Append(*appender, 1, "a");
  EXPECT_THAT(Answers(), IsEmpty());
  EXPECT_EQ(EndOf(1), 0);
  EXPECT_EQ(log_->CommitQueued(), 1U);
  EXPECT_THAT(Answers(), ElementsAre("a@0"));
  EXPECT_EQ(EndOf(1), 1);
  EXPECT_EQ(log_->CommitQueued(), 0U);
}

TEST_F(GroupCommit, LoneRecordIsOneSync) {
  const auto appender = Appender();
  Append(*appender, 0, "first");
  log_->CommitQueued();
  const FaultyDisk disk;
  Append(*appender, 0, "a");
  log_->CommitQueued();
  EXPECT_EQ(disk.syncs(), 1);
}

TEST_F(GroupCommit, AllThatWaitShareOneSync) {
  const auto events = Appender();
  const auto outcomes = Appender(topics::kRelationOutcomes);
  Append(*events, 0, "first");
  log_->CommitQueued();
  const FaultyDisk disk;
  for (int i = 0; i < 1'000; ++i) {
    Append(i % 2 == 0 ? *events : *outcomes, i % kPartitions, std::to_string(i));
  }
  EXPECT_EQ(log_->CommitQueued(), 1'000U);
  EXPECT_EQ(disk.syncs(), 1);
  EXPECT_EQ(answers_.size(), 1'001U);
}

TEST_F(GroupCommit, AnswersOfAnAppenderComeInTheOrderOfItsCalls) {
  const auto appender = Appender();
  Append(*appender, 2, "a");
  Append(*appender, 0, "b");
  Append(*appender, 2, "c");
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("a@0", "b@0", "c@1"));
}

TEST_F(GroupCommit, TopicsHaveOffsetsOfTheirOwn) {
  const auto events = Appender();
  const auto outcomes = Appender(topics::kRelationOutcomes);
  Append(*events, 0, "e");
  Append(*outcomes, 0, "o");
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("e@0", "o@0"));
  EXPECT_EQ(EndOf(0, topics::kRelationOutcomes), 1);
}

TEST_F(GroupCommit, OneAppendersThousandsDoNotKeepAnothersWaiting) {
  const auto importer = Appender();
  const auto relay = Appender(topics::kRelationOutcomes);
  for (int i = 0; i < 50'000; ++i) Append(*importer, 0, "i");
  Append(*relay, 0, "r");
  log_->CommitQueued();
  EXPECT_EQ(EndOf(0, topics::kRelationOutcomes), 1);
  EXPECT_GT(EndOf(0), 0);
  EXPECT_LT(EndOf(0), 50'000);
}

TEST_F(GroupCommit, QueueAboveItsRecordsIsOverloadedAtOnce) {
  const auto appender = Appender();
  for (std::size_t i = 0; i < LogAppender::kRecordsInFlightMax; ++i) {
    appender->Append(Partition(0), "", "", [](const Result<Position>&) {});
  }
  Append(*appender, 0, "late");
  EXPECT_THAT(Answers(), ElementsAre("late:overloaded"));
  while (log_->CommitQueued() > 0) {
  }
  Append(*appender, 0, "again");
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("late:overloaded", "again@100000"));
}

TEST_F(GroupCommit, QueueAboveItsBytesIsOverloadedAtOnce) {
  const auto appender = Appender();
  const std::string large(LogAppender::kRecordBytesMax - 1, 'x');
  const std::size_t fits = SqliteEventLog::kBytesInFlightMax / LogAppender::kRecordBytesMax;
  for (std::size_t i = 0; i < fits; ++i) {
    appender->Append(Partition(0), "k", large, [](const Result<Position>&) {});
  }
  appender->Append(Partition(0), "k", large, [this](Result<Position> result) {
    answers_.push_back({"late", std::move(result)});
  });
  EXPECT_THAT(Answers(), ElementsAre("late:overloaded"));
}

TEST_F(GroupCommit, PartitionThatThereIsNotIsRefusedAtOnce) {
  const auto appender = Appender();
  Append(*appender, kPartitions, "a");
  Append(*appender, -1, "b");
  EXPECT_THAT(Answers(), ElementsAre("a:invalid_argument", "b:invalid_argument"));
}

TEST_F(GroupCommit, ToldToStopOnFailureWhatCameBeforeARefusalIsWritten) {
  const auto relay = Appender(topics::kRelationEvents, {.stop_on_failure = true});
  Append(*relay, 0, "a");
  Append(*relay, kPartitions, "b");
  Append(*relay, 0, "c");
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("b:invalid_argument", "c:unavailable", "a@0"));
}

TEST_F(GroupCommit, FlushWritesOnTheCallersThread) {
  const auto appender = Appender();
  Append(*appender, 0, "a");
  EXPECT_TRUE(appender->Flush(0));
  EXPECT_THAT(Answers(), ElementsAre("a@0"));
}

TEST_F(GroupCommit, ClosedAppenderWritesNothingMoreAndSaysSo) {
  auto closing = Appender();
  const auto staying = Appender();
  Append(*closing, 0, "gone");
  Append(*staying, 0, "kept");
  closing.reset();
  EXPECT_THAT(Answers(), ElementsAre("gone:unknown"));
  log_->CommitQueued();
  EXPECT_THAT(Answers(), ElementsAre("gone:unknown", "kept@0"));
}

TEST_F(GroupCommit, AppenderOutlivesItsLog) {
  const auto appender = Appender();
  Append(*appender, 0, "a");
  log_.reset();
  EXPECT_TRUE(appender->Flush(0));
  EXPECT_THAT(Answers(), ElementsAre("a@0"));
}

}  // namespace
}  // namespace fanfold
