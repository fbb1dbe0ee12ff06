#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/kafka/appender.h"
#include "common/kafka/client.h"
#include "common/kafka/credentials.h"
#include "common/kafka/files_gauge.h"
#include "common/kafka/group_member.h"
#include "common/kafka/kafka_event_log.h"
#include "common/kafka/kafka_partition_ownership.h"
#include "common/kafka/topic_facts.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/kafka/mock_cluster.h"

namespace fanfold {
namespace {

constexpr std::int64_t kPatienceMs = 20'000;

class KafkaFaults : public ::testing::Test {
 protected:
  using Answer = std::future<Result<Position>>;

  void SetUp() override { log_ = *NewKafkaEventLog(cluster_.options()); }

  std::unique_ptr<LogAppender> Appender(const AppenderOptions& options = {}) {
    auto appender = log_->NewAppender(topics::kRelationEvents, options);
    EXPECT_TRUE(appender.has_value()) << appender.error().message;
    return std::move(*appender);
  }

  static Answer Append(LogAppender& appender, const std::string& value,
                       Partition partition = Partition(0)) {
    auto promise = std::make_shared<std::promise<Result<Position>>>();
    Answer answer = promise->get_future();
    appender.Append(partition, "1", value,
                    [promise](Result<Position> result) { promise->set_value(std::move(result)); });
    return answer;
  }

  static Result<Position> Await(Answer& answer) {
    if (answer.wait_for(std::chrono::milliseconds(kPatienceMs)) != std::future_status::ready) {
      return Fail(ErrorCode::kTimeout, "no answer");
    }
    return answer.get();
  }

  std::vector<std::string> ReadAll(std::size_t count) {
    std::vector<std::string> values;
    auto reader = log_->NewReader(topics::kRelationEvents);
    const Status started = (*reader)->Start(Partition(0), Offset(0));
    EXPECT_TRUE(started.has_value()) << started.error().message;
    const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
    while (values.size() < count && clock_.SteadyMs() < deadline) {
      const Result<LogBatch> batch = (*reader)->Poll(100, 100);
      if (!batch) continue;
      for (const LogRecord& record : batch->records) values.emplace_back(record.value.value_or(""));
    }
    return values;
  }

  void ExpectBoundsUnavailableInTime() {
    const std::int64_t start = clock_.SteadyMs();
    const Result<LogBounds> bounds = log_->Bounds(topics::kRelationEvents, Partition(0));
    ASSERT_FALSE(bounds.has_value());
    EXPECT_EQ(bounds.error().code, ErrorCode::kUnavailable) << bounds.error().message;
    EXPECT_LE(clock_.SteadyMs() - start, EventLog::kBoundsTimeoutMs + 1000);
  }

  bool BoundsAreBack() {
    const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
    while (clock_.SteadyMs() < deadline) {
      if (log_->Bounds(topics::kRelationEvents, Partition(0))) return true;
    }
    return false;
  }

  // The next append fails, and so does every later one.
  void ExpectStopped() {
    const auto appender = Appender({.delivery_timeout_ms = 0, .stop_on_failure = true});
    Answer hit = Append(*appender, "hit");
    EXPECT_FALSE(Await(hit).has_value());
    const std::int64_t deadline = clock_.SteadyMs() + kLongerThanAProducerIsMadeMs;
    while (clock_.SteadyMs() < deadline) {
      Answer behind = Append(*appender, "behind");
      const auto result = Await(behind);
      ASSERT_FALSE(result.has_value());
      ASSERT_EQ(result.error().code, ErrorCode::kUnavailable) << result.error().message;
    }
    const auto another = Appender();
    Answer other = Append(*another, "other");
    EXPECT_TRUE(Await(other).has_value());
    EXPECT_EQ(ReadAll(1), std::vector<std::string>{"other"});
  }

  static constexpr std::int64_t kLongerThanAProducerIsMadeMs = 500;

  SystemClock clock_;
  MockCluster cluster_;
  std::unique_ptr<EventLog> log_;
};

TEST_F(KafkaFaults, PassingErrorsAreRetriedInOrder) {
  // In one batch, which takes a topic that is known and time for all: mock brokers take a batch
  // behind one that they refused, which a broker that knows the producer does not.
  constexpr std::int64_t kLongEnoughForAllMs = 100;
  const auto appender = Appender({.linger_ms = kLongEnoughForAllMs});
  std::vector<std::string> values = {"first"};
  Answer first = Append(*appender, values.front());
  ASSERT_TRUE(Await(first).has_value());
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                                      RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                                      RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION});
  std::vector<Answer> answers;
  for (int i = 0; i < 20; ++i) {
    values.push_back(std::to_string(i));
    answers.push_back(Append(*appender, values.back()));
  }
  for (Answer& answer : answers) {
    const auto result = Await(answer);
    ASSERT_TRUE(result.has_value()) << result.error().message;
  }
  EXPECT_EQ(ReadAll(values.size()), values);
}

// A lane is halted for what the log will never take, and starts again after what passes.
TEST_F(KafkaFaults, WhatWasDamagedOnTheWayMayBeSentAgainWhatIsRefusedMayNot) {
  for (const auto& [error, code] :
       {std::pair(RD_KAFKA_RESP_ERR_INVALID_MSG, ErrorCode::kUnavailable),
        std::pair(RD_KAFKA_RESP_ERR_INVALID_RECORD, ErrorCode::kInvalidArgument)}) {
    const auto appender = Appender({.delivery_timeout_ms = 0, .stop_on_failure = true});
    cluster_.FailNext(kProduceRequest, {error});
    Answer answer = Append(*appender, "a");
    const auto result = Await(answer);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, code) << result.error().message;
  }
  const auto appender = Appender({.delivery_timeout_ms = 0, .stop_on_failure = true});
  Answer again = Append(*appender, "again");
  EXPECT_TRUE(Await(again).has_value());
}

TEST_F(KafkaFaults, ToldToStopOnFailureNothingOvertakesTheFirstOfAPartition) {
  const auto appender = Appender({.delivery_timeout_ms = 0, .stop_on_failure = true});
  // A topic that is known, so that the first is sent before there are others to go with it.
  Answer elsewhere = Append(*appender, "elsewhere", Partition(1));
  ASSERT_TRUE(Await(elsewhere).has_value());
  cluster_.SetRoundTripMs(50);
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS});
  std::vector<std::string> values;
  std::vector<Answer> answers;
  for (int i = 0; i < 20; ++i) {
    values.push_back(std::to_string(i));
    answers.push_back(Append(*appender, values.back()));
    clock_.SleepMs(1);
  }
  for (Answer& answer : answers) {
    const auto result = Await(answer);
    ASSERT_TRUE(result.has_value()) << result.error().message;
  }
  EXPECT_EQ(ReadAll(values.size()), values);
}

TEST_F(KafkaFaults, WithoutABrokerAnAppendIsUnavailableInTime) {
  const auto appender = Appender({.delivery_timeout_ms = 1000});
  cluster_.Down();
  const std::int64_t start = clock_.SteadyMs();
  Answer answer = Append(*appender, "x");
  const auto result = Await(answer);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable) << result.error().message;
  EXPECT_GE(clock_.SteadyMs() - start, 900);
  EXPECT_LE(clock_.SteadyMs() - start, 4000);
}

TEST_F(KafkaFaults, WithoutATimeoutAnOutageLeavesNoGap) {
  const auto appender = Appender({.delivery_timeout_ms = 0});
  std::vector<Answer> answers;
  std::vector<std::string> values;
  const auto append = [&](int count) {
    for (int i = 0; i < count; ++i) {
      values.push_back(std::to_string(values.size()));
      answers.push_back(Append(*appender, values.back()));
    }
  };
  // The mock brokers know no sequence numbers: what they had written when the ack was lost, they
  // would write once more.
  constexpr std::size_t kBefore = 10;
  append(kBefore);
  ASSERT_TRUE(appender->Flush(10'000));
  cluster_.Down();
  append(50);
  EXPECT_FALSE(appender->Flush(1500));
  cluster_.Up();
  append(10);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto result = Await(answers[i]);
    ASSERT_TRUE(result.has_value()) << i << ": " << result.error().message;
  }
  EXPECT_EQ(ReadAll(values.size()), values);
}

TEST_F(KafkaFaults, DestroyingWhileABrokerIsSilentAnswersUnknownInBoundedTime) {
  auto appender = Appender({.delivery_timeout_ms = 0});
  Answer warm = Append(*appender, "w");
  ASSERT_TRUE(Await(warm).has_value());
  cluster_.SetRoundTripMs(5000);
  std::vector<Answer> answers;
  for (int i = 0; i < 10; ++i) answers.push_back(Append(*appender, "x"));
  EXPECT_FALSE(appender->Flush(200));
  const std::int64_t start = clock_.SteadyMs();
  appender.reset();
  EXPECT_LE(clock_.SteadyMs() - start, 4000);
  for (Answer& answer : answers) {
    const auto result = Await(answer);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kUnknown) << result.error().message;
  }
}

TEST_F(KafkaFaults, AFatalErrorFailsWhatIsInFlightAndTheAppenderGoesOn) {
  const auto appender = Appender();
  Answer before = Append(*appender, "before");
  ASSERT_TRUE(Await(before).has_value());
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  Answer hit = Append(*appender, "hit");
  EXPECT_FALSE(Await(hit).has_value());
  std::optional<Result<Position>> after;
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while ((!after || !*after) && clock_.SteadyMs() < deadline) {
    Answer answer = Append(*appender, "after");
    after = Await(answer);
  }
  ASSERT_TRUE(after && after->has_value());
}

// An appender whose topic is kept from it, and whether it says so.
class KafkaRights : public KafkaFaults {
 protected:
  static constexpr std::int64_t kRefusedMs = 500;

  std::unique_ptr<LogAppender> Appender(std::int64_t refused_ms) {
    return *kafka::NewAppender(cluster_.options(), kTopic, {}, refused_ms);
  }
  void ExpectRefused(const Status& status) {
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::kRefused);
    EXPECT_THAT(status.error().message,
                ::testing::HasSubstr(kTopic + ": the user of this process"));
    EXPECT_THAT(status.error().message, ::testing::HasSubstr("lacks the right Write"));
  }
  void ExpectRefusedAppend(LogAppender& appender) {
    Answer answer = Append(appender, "refused");
    const auto result = Await(answer);
    ExpectRefused(result ? Status() : std::unexpected(result.error()));
  }
  bool MayAppendBy(const LogAppender& appender, std::int64_t within_ms) {
    const std::int64_t deadline = clock_.SteadyMs() + within_ms;
    while (!appender.MayAppend() && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
    return appender.MayAppend().has_value();
  }
  bool AppendsBy(LogAppender& appender, std::int64_t within_ms) {
    const std::int64_t deadline = clock_.SteadyMs() + within_ms;
    while (clock_.SteadyMs() < deadline) {
      Answer answer = Append(appender, "again");
      if (Await(answer)) return true;
      EXPECT_FALSE(appender.MayAppend());
    }
    return false;
  }

  const std::string kTopic = KafkaTopicName({}, topics::kRelationEvents);
};

TEST_F(KafkaRights, AnAppendThatIsRefusedSaysWhichOneIsMissingUntilOneIsNot) {
  const auto appender = Appender(2 * kPatienceMs);
  EXPECT_TRUE(appender->MayAppend());
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ExpectRefusedAppend(*appender);
  ExpectRefused(appender->MayAppend());
  EXPECT_TRUE(AppendsBy(*appender, kPatienceMs));
  EXPECT_TRUE(appender->MayAppend());
}

// Else nobody who asks first whether it may would ever find out.
TEST_F(KafkaRights, WhatWasRefusedIsForgottenWithoutAnAppend) {
  const auto appender = Appender(kRefusedMs);
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ExpectRefusedAppend(*appender);
  ExpectRefused(appender->MayAppend());
  EXPECT_TRUE(MayAppendBy(*appender, kPatienceMs));
}

TEST_F(KafkaRights, WhileTheTopicIsKeptFromItItIsNotForgotten) {
  const auto appender = Appender(kRefusedMs);
  cluster_.FailTopic(topics::kRelationEvents, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ExpectRefusedAppend(*appender);
  EXPECT_FALSE(MayAppendBy(*appender, 3 * kRefusedMs));
  cluster_.FailTopic(topics::kRelationEvents, RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_TRUE(MayAppendBy(*appender, kPatienceMs));
}

// A user who may write nowhere gets no producer id: the records are purged, and none need be sent.
TEST_F(KafkaRights, OneThatMayWriteNowhereKnowsWithoutAnAppend) {
  cluster_.FailNext(kInitProducerIdRequest,
                    std::vector(1000, RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED));
  const auto appender = Appender(2 * kPatienceMs);
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while (appender->MayAppend() && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
  ExpectRefused(appender->MayAppend());
  ExpectRefusedAppend(*appender);
  cluster_.FailNoMore(kInitProducerIdRequest);
  EXPECT_TRUE(AppendsBy(*appender, kPatienceMs));
  EXPECT_TRUE(appender->MayAppend());
}

TEST_F(KafkaRights, WhatFailsForAnotherReasonIsNotTheirs) {
  const auto appender = Appender(kRefusedMs);
  Answer before = Append(*appender, "before");
  ASSERT_TRUE(Await(before).has_value());
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  Answer hit = Append(*appender, "hit");
  const auto result = Await(hit);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().code, ErrorCode::kRefused) << result.error().message;
  EXPECT_TRUE(appender->MayAppend());
}

TEST_F(KafkaFaults, ToldToStopOnFailureItTakesNothingAfterWhatTheBrokerRefused) {
  // Of one record: librdkafka goes on after it unless told that there must be no gap.
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE});
  ExpectStopped();
}

TEST_F(KafkaFaults, ToldToStopOnFailureItTakesNothingAfterAFatalError) {
  cluster_.FailNext(kProduceRequest, {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER});
  ExpectStopped();
}

TEST_F(KafkaFaults, MoreThanTheLimitInFlightIsOverloaded) {
  auto appender = Appender({.delivery_timeout_ms = 0});
  cluster_.Down();
  std::atomic<std::size_t> overloaded = 0;
  std::atomic<std::size_t> called = 0;
  for (std::size_t i = 0; i < LogAppender::kRecordsInFlightMax + 5; ++i) {
    appender->Append(Partition(0), "1", "x", [&](const Result<Position>& result) {
      ++called;
      if (!result && result.error().code == ErrorCode::kOverloaded) ++overloaded;
    });
  }
  EXPECT_EQ(overloaded, 5U);
  EXPECT_EQ(called, 5U);
  appender.reset();
  EXPECT_EQ(called, LogAppender::kRecordsInFlightMax + 5);
}

TEST_F(KafkaFaults, LosingWhatWasToBeReadNextIsOutOfRange) {
  const auto appender = Appender();
  auto reader = log_->NewReader(topics::kRelationEvents);
  ASSERT_TRUE(reader.has_value());
  ASSERT_TRUE((*reader)->Start(Partition(0), Offset(0)).has_value());
  Answer answer = Append(*appender, "x");
  ASSERT_TRUE(Await(answer).has_value());
  cluster_.FailNext(kFetchRequest, std::vector(5, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE));
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while (clock_.SteadyMs() < deadline) {
    const Result<LogBatch> batch = (*reader)->Poll(100, 100);
    if (batch) continue;
    EXPECT_EQ(batch.error().code, ErrorCode::kOutOfRange) << batch.error().message;
    EXPECT_NE(batch.error().message.find("relation-events/0"), std::string::npos);
    return;
  }
  FAIL() << "the loss was not told";
}

TEST_F(KafkaFaults, AReaderTellsThatTheLogIsAwayAndGoesOnWhenItIsBack) {
  const auto appender = Appender({.delivery_timeout_ms = 0});
  auto reader = log_->NewReader(topics::kRelationEvents);
  ASSERT_TRUE(reader.has_value());
  ASSERT_TRUE((*reader)->Start(Partition(0), Offset(0)).has_value());
  cluster_.Down();
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  ErrorCode told = ErrorCode::kInternal;
  while (told == ErrorCode::kInternal && clock_.SteadyMs() < deadline) {
    const Result<LogBatch> batch = (*reader)->Poll(100, 100);
    if (!batch) told = batch.error().code;
  }
  EXPECT_EQ(told, ErrorCode::kUnavailable);
  EXPECT_EQ(log_->Ping(300).error().code, ErrorCode::kUnavailable);
  cluster_.Up();
  [[maybe_unused]] const Answer answer = Append(*appender, "back");
  std::size_t records = 0;
  while (records == 0 && clock_.SteadyMs() < deadline) {
    const Result<LogBatch> batch = (*reader)->Poll(100, 100);
    if (batch) records += batch->records.size();
  }
  EXPECT_EQ(records, 1U);
}

TEST_F(KafkaFaults, BoundsAreUnavailableInTimeWhenTheBrokerIsGone) {
  ASSERT_TRUE(log_->Bounds(topics::kRelationEvents, Partition(0)).has_value());
  cluster_.Down();
  ExpectBoundsUnavailableInTime();
  cluster_.Up();
  EXPECT_TRUE(BoundsAreBack());
}

TEST_F(KafkaFaults, BoundsAreUnavailableInTimeWhenTheBrokerIsSilent) {
  ASSERT_TRUE(log_->Bounds(topics::kRelationEvents, Partition(0)).has_value());
  cluster_.SetRoundTripMs(kPatienceMs);
  ExpectBoundsUnavailableInTime();
}

TEST_F(KafkaFaults, ARecordWithoutKeyOrValueIsReadAsOne) {
  ProduceForeign(cluster_.options(), std::nullopt);
  auto reader = log_->NewReader(topics::kRelationEvents);
  ASSERT_TRUE((*reader)->Start(Partition(0), Offset(0)).has_value());
  const Result<LogBatch> batch = (*reader)->Poll(10, kPatienceMs);
  ASSERT_TRUE(batch && batch->records.size() == 1);
  EXPECT_FALSE(batch->records[0].key.has_value());
  EXPECT_FALSE(batch->records[0].value.has_value());
}

TEST_F(KafkaFaults, ARecordLargerThanAFetchComesWholeAndTheNextOneAfterIt) {
  // The mock keeps 5 MB of a partition; the reader first asks for 1 MB.
  const std::string large(4'000'000, 'x');
  ProduceForeign(cluster_.options(), large);
  ProduceForeign(cluster_.options(), "next");
  EXPECT_EQ(ReadAll(2), (std::vector<std::string>{large, "next"}));
}

TEST(KafkaTopicName, HasTheSpaceInFront) {
  EXPECT_EQ(KafkaTopicName({"b:1", ""}, topics::kRelationEvents), "relation-events");
  EXPECT_EQ(KafkaTopicName({"b:1", "x"}, topics::kRelationOutcomes), "x-relation-outcomes");
}

// Leaders move; a service comes back by itself, an operator's verb would have to be typed again.
TEST_F(KafkaFaults, PartitionWithoutALeaderIsAskedAgainOnlyByThoseWhoWait) {
  const std::vector<rd_kafka_resp_err_t> moving(5, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
  cluster_.FailNext(kListOffsetsRequest, moving);
  const Result<LogBounds> at_once = log_->Bounds(topics::kRelationEvents, Partition(0));
  ASSERT_FALSE(at_once);
  EXPECT_EQ(at_once.error().code, ErrorCode::kUnavailable);
  cluster_.FailNext(kListOffsetsRequest, moving);
  KafkaOptions options = cluster_.options();
  options.bounds = {.timeout_ms = kPatienceMs, .asks_again = true};
  const auto patient = *NewKafkaEventLog(options);
  const Result<LogBounds> bounds = patient->Bounds(topics::kRelationEvents, Partition(0));
  EXPECT_TRUE(bounds) << bounds.error().message;
}

// A partition that nobody leads keeps nobody from the others.
TEST_F(KafkaFaults, BoundsOfManyAreToldThoughOneHasNoLeader) {
  cluster_.SetLeader(topics::kRelationEvents, Partition(1), false);
  const std::vector<Partition> both = {Partition(1), Partition(0)};
  const auto bounds = log_->BoundsOf(topics::kRelationEvents, both);
  ASSERT_EQ(bounds.size(), 2U);
  ASSERT_FALSE(bounds[0]);
  EXPECT_EQ(bounds[0].error().code, ErrorCode::kUnavailable) << bounds[0].error().message;
  EXPECT_TRUE(bounds[1]) << bounds[1].error().message;
  cluster_.SetLeader(topics::kRelationEvents, Partition(1), true);
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while (!log_->Bounds(topics::kRelationEvents, Partition(1)) && clock_.SteadyMs() < deadline) {
  }
  EXPECT_TRUE(log_->Bounds(topics::kRelationEvents, Partition(1)));
}

// A leader that does not answer and has no successor yet keeps nobody from the others.
TEST(KafkaBounds, OfManyAreToldThoughALeaderIsSilent) {
  constexpr std::int32_t kSilent = 2;
  MockCluster cluster(2, kSilent);
  cluster.SetLeader(topics::kRelationEvents, Partition(0), 1);
  cluster.SetLeader(topics::kRelationEvents, Partition(1), kSilent);
  const auto log = *NewKafkaEventLog(cluster.options());
  ASSERT_TRUE(log->AllBounds(topics::kRelationEvents, 2));
  cluster.Down(kSilent);
  const std::vector<Partition> both = {Partition(1), Partition(0)};
  const SystemClock clock;
  const std::int64_t start_ms = clock.SteadyMs();
  const auto bounds = log->BoundsOf(topics::kRelationEvents, both);
  EXPECT_LE(clock.SteadyMs() - start_ms, EventLog::kBoundsTimeoutMs + 1000);
  ASSERT_FALSE(bounds[0]);
  EXPECT_EQ(bounds[0].error().code, ErrorCode::kUnavailable) << bounds[0].error().message;
  EXPECT_TRUE(bounds[1]) << bounds[1].error().message;
}

// Nor is a broker given up that answers within the wait, if late.
TEST(KafkaBounds, OfABrokerThatTakesMostOfTheWaitAreTold) {
  MockCluster cluster;
  const auto log = *NewKafkaEventLog(cluster.options());
  ASSERT_TRUE(log->AllBounds(topics::kRelationEvents, 2));
  cluster.SetRoundTripMs(static_cast<int>(EventLog::kBoundsTimeoutMs * 2 / 5));
  const auto late = std::async(std::launch::async, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(EventLog::kBoundsTimeoutMs / 2));
    cluster.SetRoundTripMs(0);
  });
  const auto bounds = log->AllBounds(topics::kRelationEvents, 2);
  EXPECT_TRUE(bounds) << bounds.error().message;
}

TEST(KafkaBounds, OfAThousandPartitionsTakeTwoQuestions) {
  constexpr std::int32_t kPartitions = 1024;
  constexpr std::int64_t kRoundTripMs = 300;
  MockCluster cluster(kPartitions);
  const auto log = *NewKafkaEventLog(cluster.options());
  ASSERT_TRUE(log->Bounds(topics::kRelationEvents, Partition(0)));
  cluster.SetRoundTripMs(kRoundTripMs);
  const SystemClock clock;
  const std::int64_t start_ms = clock.SteadyMs();
  const auto bounds = log->AllBounds(topics::kRelationEvents, kPartitions);
  ASSERT_TRUE(bounds) << bounds.error().message;
  // One more would fit besides, and no more.
  EXPECT_LT(clock.SteadyMs() - start_ms, 4 * kRoundTripMs);
}

// Without TLS a client looks at none of its files; they are followed all the same.
class KafkaFiles : public KafkaFaults {
 protected:
  static constexpr int kChanges = 3;

  void SetUp() override {
    Write(0);
    options_ = cluster_.options();
    options_.client["ssl.ca.location"] = file_;
    log_ = *NewKafkaEventLog(options_);
  }

  void Write(int text) {
    std::ofstream(file_ + ".new") << text;
    std::filesystem::rename(file_ + ".new", file_);
  }

  // Appends and reads while the file changes; the values in the order of their appends, and as
  // read.
  std::pair<std::vector<std::string>, std::vector<std::string>> CopyWhileItChanges(
      const AppenderOptions& appending) {
    const auto appender = Appender(appending);
    const auto reader = *log_->NewReader(topics::kRelationEvents);
    EXPECT_TRUE(reader->Start(Partition(0), Offset(0)));
    std::vector<std::string> appended;
    std::vector<std::string> read;
    std::vector<Answer> answers;
    const auto read_more = [&] {
      const Result<LogBatch> batch = reader->Poll(100, 1);
      if (!batch) return;
      for (const LogRecord& record : batch->records) read.emplace_back(record.value.value_or(""));
    };
    for (int change = 1; change <= kChanges; ++change) {
      Write(change);
      const std::int64_t until = clock_.SteadyMs() + 3 * kLookMs;
      while (clock_.SteadyMs() < until) {
        for (int i = 0; i < 10; ++i) {
          appended.push_back(std::to_string(appended.size()));
          answers.push_back(Append(*appender, appended.back()));
        }
        read_more();
      }
      EXPECT_TRUE(IsTaken(1 + change));
    }
    for (Answer& answer : answers) {
      const auto result = Await(answer);
      EXPECT_TRUE(result) << result.error().message;
    }
    const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
    while (read.size() < appended.size() && clock_.SteadyMs() < deadline) read_more();
    return {std::move(appended), std::move(read)};
  }

  // Of what the files hold the round begins, if it has not yet.
  bool IsTaken(int round) {
    const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
    while (kafka::RoundOf(options_).value() != static_cast<std::uint64_t>(round)) {
      if (clock_.SteadyMs() > deadline) return false;
      clock_.SleepMs(1);
    }
    return true;
  }

  void LetLooksPass() { clock_.SleepMs(3 * kLookMs); }

  static constexpr std::int64_t kLookMs = 500;

  testing::TempFolder folder_;
  const std::string file_ = folder_.path() + "/ca";
  KafkaOptions options_;
};

TEST_F(KafkaFiles, ThatChangeLeaveRecordsInOrder) {
  const auto [appended, read] = CopyWhileItChanges({.delivery_timeout_ms = 0});
  EXPECT_EQ(read, appended);
}

TEST_F(KafkaFiles, ThatChangeLeaveRecordsInOrderOfWhoeverStopsOnFailure) {
  const auto [appended, read] =
      CopyWhileItChanges({.delivery_timeout_ms = 0, .stop_on_failure = true});
  EXPECT_EQ(read, appended);
}

// What is on its way to nobody is given up for another producer.
TEST_F(KafkaFiles, ThatChangeWaitForNoLeader) {
  const auto appender = Appender({.delivery_timeout_ms = 0});
  cluster_.SetLeader(topics::kRelationEvents, Partition(0), false);
  Answer lost = Append(*appender, "lost");
  Write(1);
  EXPECT_FALSE(Await(lost));
  cluster_.SetLeader(topics::kRelationEvents, Partition(0), true);
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  bool again = false;
  while (!again && clock_.SteadyMs() < deadline) {
    Answer answer = Append(*appender, "again");
    again = Await(answer).has_value();
  }
  EXPECT_TRUE(again);
}

TEST_F(KafkaFiles, ThatNoBrokerAnswersChangeNothingAndKeepNobodyWaiting) {
  constexpr std::int64_t kNoWaitMs = 1'000;  // far less than a trial
  const kafka::ClientPtr client = *kafka::NewAskingClient(options_);
  Metrics metrics;
  const KafkaFilesGauge gauge(metrics);
  const auto shows = [&](const std::string& broken) {
    return metrics.Text().find("\nfanfold_kafka_files_broken " + broken + "\n") !=
           std::string::npos;
  };
  cluster_.Down();
  Write(1);
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while (!shows("1") && clock_.SteadyMs() < deadline) {
    const std::int64_t start = clock_.SteadyMs();
    EXPECT_FALSE(kafka::IsOutdated(client.get()));
    {
      const kafka::ClientPtr other = *kafka::NewAskingClient(options_);
      EXPECT_FALSE(kafka::IsCurrent(other.get()));
    }
    EXPECT_LE(clock_.SteadyMs() - start, kNoWaitMs);
    clock_.SleepMs(100);
  }
  EXPECT_TRUE(shows("1"));
  EXPECT_TRUE(kafka::IsCurrent(client.get()));
  cluster_.Up();
  EXPECT_TRUE(IsTaken(2));
  while (!kafka::IsOutdated(client.get()) && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
  EXPECT_TRUE(kafka::IsOutdated(client.get()));
  while (shows("1") && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
  EXPECT_TRUE(shows("0"));
}

TEST_F(KafkaFiles, OfAnySizeAreFollowedOrRefused) {
  const kafka::ClientPtr client = *kafka::NewAskingClient(options_);
  Write(1);
  std::filesystem::resize_file(file_, std::size_t{8} << 20);
  EXPECT_TRUE(IsTaken(2));
  std::filesystem::resize_file(file_, std::size_t{65} << 20);
  options_.client["ssl.crl.location"] = file_;  // as of another deployment
  const auto refused = NewKafkaEventLog(options_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::EndsWith("is too large"));
}

TEST_F(KafkaFiles, ThatChangeBringNothingOfWhatWasLost) {
  const auto appender = Appender();
  const auto reader = *log_->NewReader(topics::kRelationEvents);
  Answer answer = Append(*appender, "x");
  ASSERT_TRUE(Await(answer));
  cluster_.FailNext(kFetchRequest, {RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE});
  ASSERT_TRUE(reader->Start(Partition(0), Offset(0)));
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while (reader->Poll(100, 100) && clock_.SteadyMs() < deadline) {
  }
  Write(1);
  const std::int64_t until = clock_.SteadyMs() + 3 * kLookMs;
  while (clock_.SteadyMs() < until) {
    const Result<LogBatch> batch = reader->Poll(100, 100);
    ASSERT_TRUE(batch) << batch.error().message;
    EXPECT_TRUE(batch->records.empty());
  }
  ASSERT_TRUE(reader->Start(Partition(0), Offset(0)));
  const Result<LogBatch> batch = reader->Poll(100, kPatienceMs);
  EXPECT_TRUE(batch && batch->records.size() == 1);
}

// A file of a password is read by every client, with TLS or without.
class KafkaMembersFiles : public KafkaFiles {
 protected:
  void SetUp() override {
    KafkaFiles::SetUp();
    options_.client = {{"ssl.key.password_file", file_}};
  }
};

// As where a certificate and its key are written one after the other.
TEST_F(KafkaMembersFiles, ThatBreakAfterTheyWereTakenLeaveItItsPartitions) {
  const auto ownership = NewKafkaPartitionOwnership({.kafka = options_, .group = "g"});
  std::atomic<int> gained = 0;
  std::atomic<int> lost = 0;
  std::promise<void> broken;
  ASSERT_TRUE(ownership->Join({[&](auto) {
                                 if (gained++ == 0) broken.get_future().wait();
                               },
                               [&](auto) { ++lost; }}));
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while (gained == 0 && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
  Write(1);
  EXPECT_TRUE(IsTaken(2));
  std::filesystem::resize_file(file_, 0);
  broken.set_value();
  LetLooksPass();
  EXPECT_EQ(lost, 0);
  Write(2);
  while (lost == 0 && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
  EXPECT_EQ(lost, 1);
}

// Which librdkafka before 2.3 could not destroy.
TEST_F(KafkaMembersFiles, ThatChangeLetAMemberBeAssignedSomethingFirst) {
  int gained = 0;
  const PartitionOwnership::Callbacks callbacks{[&](auto) { ++gained; }, [](auto) {}};
  const OwnershipOptions options{.kafka = options_, .group = "g"};
  kafka::GroupMember member(options, callbacks);
  ASSERT_TRUE(member.Subscribe());
  Write(1);
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  while (gained == 0 && clock_.SteadyMs() < deadline) {
    EXPECT_FALSE(member.IsOutdated());
    EXPECT_TRUE(member.Serve(1));
  }
  EXPECT_EQ(gained, 1);
  EXPECT_TRUE(IsTaken(2));
  while (!member.IsOutdated() && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
  EXPECT_TRUE(member.IsOutdated());
}

TEST_F(KafkaMembersFiles, ThatChangeMakeAMemberAnewThatReachesNobody) {
  const PartitionOwnership::Callbacks callbacks{[](auto) {}, [](auto) {}};
  OwnershipOptions options{.kafka = options_, .group = "g"};
  kafka::GroupMember member(options, callbacks);
  cluster_.Down();
  ASSERT_TRUE(member.Subscribe());
  const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
  const std::int64_t until = clock_.SteadyMs() + kLookMs;
  while (clock_.SteadyMs() < until) EXPECT_TRUE(member.Serve(10));
  Write(1);
  cluster_.Up();
  while (!member.IsOutdated() && clock_.SteadyMs() < deadline) clock_.SleepMs(1);
  EXPECT_TRUE(member.IsOutdated());
}

TEST(KafkaEventLog, WithoutAnyBrokerCallsAreUnavailable) {
  const auto log = *NewKafkaEventLog({.brokers = "127.0.0.1:1"});
  EXPECT_EQ(log->Ping(300).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(log->PartitionCount(topics::kRelationEvents).error().code, ErrorCode::kUnavailable);
}

TEST(KafkaEventLog, IsNotMadeWithOptionsThatItsClientDoesNotTake) {
  for (const auto& [option, value] :
       {std::pair("sasl.password_file", "/no/such/file"), std::pair("ssl.sigalgs.list", "none")}) {
    const auto log = NewKafkaEventLog({.client = {{"security.protocol", "ssl"}, {option, value}}});
    ASSERT_FALSE(log) << option;
    EXPECT_EQ(log.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(log.error().message,
                ::testing::AnyOf(::testing::HasSubstr(value), ::testing::HasSubstr(option)));
  }
}

// The mock tells no settings, and has no controller: who asks for that one waits for nothing.
TEST(KafkaFacts, AreAskedOfABrokerThatIsThere) {
  MockCluster cluster(2, 3);
  cluster.Down(2);
  cluster.Down(3);
  KafkaOptions options = cluster.options();
  options.bounds.timeout_ms = kPatienceMs;
  const Result<LogFacts> facts = ReadKafkaFacts(options);
  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().message, ::testing::HasSubstr("not supported by broker"));
}

}  // namespace
}  // namespace fanfold
