// What every EventLog keeps to. An adapter's test includes this once and instantiates the suite
// EventLogContract with its EventLogFactory.
#pragma once

#include <atomic>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ports/event_log.h"
#include "tests/contract/event_log_under_test.h"

namespace fanfold::testing {

TEST_P(EventLogContract, TellsHowManyPartitionsATopicHas) {
  EXPECT_EQ(log_->PartitionCount(topics::kRelationEvents).value_or(0), kPartitions);
  EXPECT_EQ(log_->PartitionCount(topics::kRelationOutcomes).value_or(0), kPartitions);
  EXPECT_TRUE(log_->Ping(5000).has_value());
}

TEST_P(EventLogContract, UnknownTopicIsNotFound) {
  if (!GetParam().make_without_topics) GTEST_SKIP() << "a log here always has its topics";
  const std::unique_ptr<EventLog> bare = GetParam().make_without_topics();
  const auto count = bare->PartitionCount(kTopic);
  ASSERT_FALSE(count.has_value());
  EXPECT_EQ(count.error().code, ErrorCode::kNotFound) << count.error().message;
  EXPECT_EQ(bare->NewReader(kTopic).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(bare->NewAppender(kTopic, {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(bare->Bounds(kTopic, Partition(0)).error().code, ErrorCode::kNotFound);
}

TEST_P(EventLogContract, UnknownPartitionIsNotFound) {
  EXPECT_EQ(log_->Bounds(kTopic, Partition(kPartitions)).error().code, ErrorCode::kNotFound);
}

TEST_P(EventLogContract, BoundsOfManyComeInTheOrderAskedAndFailEachByItself) {
  const auto appender = Appender();
  for (int p = 0; p < kPartitions; ++p) AppendNumbers(*appender, Partition(p), 0, p + 1);
  const std::vector<Partition> asked = {Partition(3), Partition(kPartitions), Partition(0),
                                        Partition(2)};
  const auto bounds = log_->BoundsOf(kTopic, asked);
  ASSERT_EQ(bounds.size(), asked.size());
  for (const std::size_t i : {0, 2, 3}) {
    ASSERT_TRUE(bounds[i].has_value()) << bounds[i].error().message;
    EXPECT_EQ(bounds[i]->begin, Offset(0));
    EXPECT_EQ(bounds[i]->end, Offset(asked[i].value + 1));
  }
  EXPECT_EQ(bounds[1].error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(log_->BoundsOf(kTopic, {}).empty());
}

TEST_P(EventLogContract, AllBoundsAreThoseOfEveryPartitionOrTheFirstFailure) {
  AppendNumbers(*Appender(), Partition(1), 0, 7);
  const auto all = log_->AllBounds(kTopic, kPartitions);
  ASSERT_TRUE(all.has_value()) << all.error().message;
  ASSERT_EQ(all->size(), static_cast<std::size_t>(kPartitions));
  EXPECT_EQ((*all)[1].end, Offset(7));
  EXPECT_EQ((*all)[2].end, Offset(0));
  EXPECT_EQ(log_->AllBounds(kTopic, kPartitions + 1).error().code, ErrorCode::kNotFound);
}

TEST_P(EventLogContract, BoundsMoveWithWhatIsAppended) {
  const auto before = log_->Bounds(kTopic, Partition(1));
  ASSERT_TRUE(before.has_value()) << before.error().message;
  EXPECT_EQ(before->begin, Offset(0));
  EXPECT_EQ(before->end, Offset(0));
  AppendNumbers(*Appender(), Partition(1), 0, 7);
  EXPECT_EQ(log_->Bounds(kTopic, Partition(1))->begin, Offset(0));
  EXPECT_EQ(log_->Bounds(kTopic, Partition(1))->end, Offset(7));
  EXPECT_EQ(log_->Bounds(kTopic, Partition(2))->end, Offset(0));
  EXPECT_EQ(log_->Bounds(topics::kRelationOutcomes, Partition(1))->end, Offset(0));
}

TEST_P(EventLogContract, PositionsToldAreWhereTheRecordsAreRead) {
  const auto appender = Appender();
  const auto reader = Reader();
  Answers answers;
  constexpr int kRecords = 100;
  for (int i = 0; i < kRecords; ++i) {
    appender->Append(Partition(i % kPartitions), std::to_string(i), "v" + std::to_string(i),
                     answers.Next());
  }
  const auto positions = Await(answers);
  for (int p = 0; p < kPartitions; ++p) ExpectStarted(reader->Start(Partition(p), Offset(0)));
  std::map<std::pair<int, std::int64_t>, ReadRecord> read;
  for (ReadRecord& record : Collect(*reader, kRecords)) {
    read.insert_or_assign({record.partition, record.offset}, std::move(record));
  }
  for (int i = 0; i < kRecords; ++i) {
    const auto& told = positions[static_cast<std::size_t>(i)];
    ASSERT_TRUE(told.has_value()) << told.error().message;
    EXPECT_EQ(told->partition.value, i % kPartitions);
    const auto found = read.find({told->partition.value, told->offset.value});
    ASSERT_NE(found, read.end());
    EXPECT_EQ(found->second.key, std::to_string(i));
    EXPECT_EQ(found->second.value, "v" + std::to_string(i));
  }
}

TEST_P(EventLogContract, WhoGathersIsGivenWhatComesAloneToo) {
  const auto appender = Appender();
  auto reader = log_->NewReader(kTopic, {.gather_ms = 50});
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_TRUE((*reader)->Start(Partition(0), Offset(0)));
  for (int i = 0; i < 3; ++i) {
    AppendNumbers(*appender, Partition(0), i, 1);
    EXPECT_EQ(Collect(**reader, 1).size(), 1U);
  }
  AppendNumbers(*appender, Partition(0), 3, 2'000);
  EXPECT_EQ(Collect(**reader, 2'000).back().offset, 2'002);
}

TEST_P(EventLogContract, BytesAreReadAsTheyWereWritten) {
  const auto appender = Appender();
  const auto reader = Reader();
  const std::string bytes("\0\xff\n\r{}\"\0", 8);
  const std::string large(200'000, 'x');
  Answers answers;
  appender->Append(Partition(0), bytes, bytes, answers.Next());
  appender->Append(Partition(0), "", "", answers.Next());
  appender->Append(Partition(0), std::string_view(), std::string_view(), answers.Next());
  appender->Append(Partition(0), "large", large, answers.Next());
  static_cast<void>(Await(answers));
  ExpectStarted(reader->Start(Partition(0), Offset(0)));
  const auto records = Collect(*reader, 4);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[0].key, bytes);
  EXPECT_EQ(records[0].value, bytes);
  for (const int empty : {1, 2}) {
    EXPECT_EQ(records[static_cast<std::size_t>(empty)].key, "");
    EXPECT_EQ(records[static_cast<std::size_t>(empty)].value, "");
  }
  EXPECT_EQ(records[3].value, large);
}

TEST_P(EventLogContract, OrderInAPartitionIsTheOrderOfTheCalls) {
  const auto appender = Appender({.linger_ms = 2});
  const auto reader = Reader();
  constexpr int kEach = 2000;
  Answers answers;
  for (int i = 0; i < kEach; ++i) {
    for (int p = 0; p < kPartitions; ++p) {
      appender->Append(Partition(p), "k", std::to_string(i), answers.Next());
    }
  }
  static_cast<void>(Await(answers));
  for (int p = 0; p < kPartitions; ++p) ExpectStarted(reader->Start(Partition(p), Offset(0)));
  std::map<int, std::vector<ReadRecord>> by_partition;
  for (ReadRecord& record : Collect(*reader, kEach * kPartitions)) {
    by_partition[record.partition].push_back(std::move(record));
  }
  for (const auto& [partition, records] : by_partition) {
    ASSERT_EQ(records.size(), static_cast<std::size_t>(kEach)) << partition;
    ExpectNumbers(records, 0, 0);
  }
}

TEST_P(EventLogContract, TenThousandRecordsComeWhole) {
  constexpr int kRecords = 10'000;
  AppendNumbers(*Appender(), Partition(3), 0, kRecords);
  const auto reader = Reader();
  ExpectStarted(reader->Start(Partition(3), Offset(0)));
  ExpectNumbers(Collect(*reader, kRecords, kRecords), 0, 0);
}

TEST_P(EventLogContract, ReadsFromBeginMiddleAndEnd) {
  const auto appender = Appender();
  AppendNumbers(*appender, Partition(0), 0, 10);
  const auto begin = Reader();
  const auto middle = Reader();
  const auto end = Reader();
  ExpectStarted(begin->Start(Partition(0), Offset(0)));
  ExpectStarted(middle->Start(Partition(0), Offset(6)));
  ExpectStarted(end->Start(Partition(0), Offset(10)));
  AppendNumbers(*appender, Partition(0), 10, 2);
  ExpectNumbers(Collect(*begin, 12), 0, 0);
  ExpectNumbers(Collect(*middle, 6), 6, 6);
  ExpectNumbers(Collect(*end, 2), 10, 10);
}

TEST_P(EventLogContract, StartOutsideTheLogIsOutOfRange) {
  AppendNumbers(*Appender(), Partition(0), 0, 10);
  const auto reader = Reader();
  const Error above = RefusalOf(*reader, Partition(0), Offset(11));
  EXPECT_EQ(above.code, ErrorCode::kOutOfRange);
  EXPECT_THAT(above.message, ::testing::HasSubstr("11"));
  EXPECT_EQ(RefusalOf(*reader, Partition(0), Offset(-1)).code, ErrorCode::kOutOfRange);
  EXPECT_EQ(RefusalOf(*reader, Partition(1), Offset(1)).code, ErrorCode::kOutOfRange);
  EXPECT_TRUE(Listen(*reader).empty());
  ExpectStarted(reader->Start(Partition(0), Offset(10)));
  EXPECT_TRUE(Listen(*reader).empty());
}

TEST_P(EventLogContract, NothingComesAfterStop) {
  const auto appender = Appender();
  AppendNumbers(*appender, Partition(0), 0, 1000);
  AppendNumbers(*appender, Partition(1), 0, 1000);
  const auto reader = Reader();
  ExpectStarted(reader->Start(Partition(0), Offset(0)));
  ExpectStarted(reader->Start(Partition(1), Offset(0)));
  EXPECT_EQ(Collect(*reader, 10, 10).size(), 10U);
  reader->Stop(Partition(0));
  reader->Stop(Partition(0));
  reader->Stop(Partition(2));
  for (const ReadRecord& record : Listen(*reader)) ASSERT_EQ(record.partition, 1);
  AppendNumbers(*appender, Partition(0), 1000, 10);
  AppendNumbers(*appender, Partition(1), 1000, 10);
  for (const ReadRecord& record : Collect(*reader, 10)) ASSERT_EQ(record.partition, 1);
}

TEST_P(EventLogContract, StartAgainMovesAPartition) {
  AppendNumbers(*Appender(), Partition(0), 0, 1000);
  const auto reader = Reader();
  // Back and forth, with most of what was fetched unread.
  for (const std::int64_t from : {0, 500, 3, 997, 250, 0}) {
    ExpectStarted(reader->Start(Partition(0), Offset(from)));
    ExpectNumbers(Collect(*reader, 3, 3), from, static_cast<int>(from));
  }
  reader->Stop(Partition(0));
  ExpectStarted(reader->Start(Partition(0), Offset(100)));
  ExpectNumbers(Collect(*reader, 900), 100, 100);
}

TEST_P(EventLogContract, ABatchHoldsAtMostWhatWasAskedFor) {
  AppendNumbers(*Appender(), Partition(0), 0, 100);
  const auto reader = Reader();
  ExpectStarted(reader->Start(Partition(0), Offset(0)));
  ExpectNumbers(Collect(*reader, 100, 1), 0, 0);
}

TEST_P(EventLogContract, AnEmptyBatchIsATimeOut) {
  const auto reader = Reader();
  ExpectStarted(reader->Start(Partition(0), Offset(0)));
  const std::int64_t start = clock_.SteadyMs();
  const auto batch = reader->Poll(kPollRecords, 200);
  ASSERT_TRUE(batch.has_value());
  EXPECT_TRUE(batch->records.empty());
  EXPECT_GE(clock_.SteadyMs() - start, 150);
}

TEST_P(EventLogContract, ABatchOutlivesItsReader) {
  AppendNumbers(*Appender(), Partition(0), 0, 100);
  auto reader = Reader();
  ExpectStarted(reader->Start(Partition(0), Offset(0)));
  Result<LogBatch> batch = reader->Poll(kPollRecords, kPatienceMs);
  ASSERT_TRUE(batch.has_value());
  reader.reset();
  log_.reset();
  ASSERT_FALSE(batch->records.empty());
  EXPECT_EQ(batch->records.front().value, "0");
}

TEST_P(EventLogContract, ReadersDoNotDisturbEachOther) {
  AppendNumbers(*Appender(), Partition(0), 0, 200);
  const auto one = Reader();
  const auto other = Reader();
  ExpectStarted(one->Start(Partition(0), Offset(0)));
  ExpectNumbers(Collect(*one, 50, 50), 0, 0);
  ExpectStarted(other->Start(Partition(0), Offset(0)));
  ExpectNumbers(Collect(*other, 200), 0, 0);
  other->Stop(Partition(0));
  ExpectNumbers(Collect(*one, 150), 50, 50);
}

TEST_P(EventLogContract, AppendTimeIsTheLogsOwn) {
  const std::int64_t before = clock_.NowMs();
  AppendNumbers(*Appender(), Partition(0), 0, 1);
  const std::int64_t after = clock_.NowMs();
  const auto reader = Reader();
  ExpectStarted(reader->Start(Partition(0), Offset(0)));
  const auto records = Collect(*reader, 1);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_GE(records[0].appended_ms, before);
  EXPECT_LE(records[0].appended_ms, after);
}

TEST_P(EventLogContract, TooLargeAValueIsRefusedAndTheAppenderGoesOn) {
  const auto appender = Appender();
  Answers answers;
  appender->Append(Partition(0), "k", "before", answers.Next());
  appender->Append(Partition(0), "k", std::string(GetParam().too_large_bytes, 'x'), answers.Next());
  appender->Append(Partition(0), "k", "after", answers.Next());
  const auto results = Await(answers);
  EXPECT_TRUE(results[0].has_value());
  ASSERT_FALSE(results[1].has_value());
  EXPECT_EQ(results[1].error().code, ErrorCode::kInvalidArgument) << results[1].error().message;
  ASSERT_TRUE(results[2].has_value()) << results[2].error().message;
  EXPECT_EQ(results[2]->offset, Offset(1));
}

TEST_P(EventLogContract, RecordsUpToTheAppendersOwnBoundAreTaken) {
  const auto usual = Appender();
  const auto wide = Appender({.record_bytes_max = 2'000'000});
  const std::string large(1'040'000, 'x');  // a broker takes 1,048,588 with what is round it
  Answers answers;
  usual->Append(Partition(0), "k", large, answers.Next());
  wide->Append(Partition(0), "k", large, answers.Next());
  const auto results = Await(answers);
  ASSERT_FALSE(results[0].has_value());
  EXPECT_EQ(results[0].error().code, ErrorCode::kInvalidArgument) << results[0].error().message;
  EXPECT_TRUE(results[1].has_value()) << results[1].error().message;
}

TEST_P(EventLogContract, ToldToStopOnFailureNothingComesAfterAFailedAppend) {
  auto appender = Appender({.delivery_timeout_ms = 0, .stop_on_failure = true});
  Answers answers;
  const std::string too_large(GetParam().too_large_bytes, 'x');
  appender->Append(Partition(0), "k", "before", answers.Next());
  appender->Append(Partition(0), "k", too_large, answers.Next());
  appender->Append(Partition(0), "k", "after", answers.Next());
  auto results = Await(answers);
  Answers later;
  appender->Append(Partition(1), "k", "after", later.Next());
  results.push_back(Await(later).front());
  EXPECT_TRUE(results[0].has_value());
  EXPECT_EQ(results[1].error().code, ErrorCode::kInvalidArgument) << results[1].error().message;
  for (const std::size_t after : {2, 3}) {
    ASSERT_FALSE(results[after].has_value());
    EXPECT_EQ(results[after].error().code, ErrorCode::kUnavailable);
  }
  appender.reset();
  EXPECT_EQ(log_->Bounds(kTopic, Partition(0))->end, Offset(1));
  EXPECT_EQ(log_->Bounds(kTopic, Partition(1))->end, Offset(0));
  AppendNumbers(*Appender({.stop_on_failure = true}), Partition(0), 0, 1);
  EXPECT_EQ(log_->Bounds(kTopic, Partition(0))->end, Offset(2));
}

TEST_P(EventLogContract, FlushWaitsForEveryCallback) {
  const auto appender = Appender({.linger_ms = 20});
  EXPECT_TRUE(appender->Flush(0));
  std::atomic<int> called = 0;
  for (int i = 0; i < 500; ++i) {
    appender->Append(Partition(i % kPartitions), "k", "v", [&called](Result<Position> result) {
      EXPECT_TRUE(result.has_value());
      ++called;
    });
  }
  EXPECT_TRUE(appender->Flush(kPatienceMs));
  EXPECT_EQ(called, 500);
}

TEST_P(EventLogContract, DestroyingAnAppenderAnswersEveryAppend) {
  Answers answers;
  auto appender = Appender({.linger_ms = 100});
  for (int i = 0; i < 100; ++i) appender->Append(Partition(0), "k", "v", answers.Next());
  appender.reset();
  for (const auto& answer : Await(answers)) {
    EXPECT_TRUE(answer || answer.error().code == ErrorCode::kUnknown) << answer.error().message;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EventLogContract);

}  // namespace fanfold::testing
