#include <array>
#include <string>

#include "common/base/check.h"
#include "common/kafka/admin.h"
#include "common/kafka/client.h"
#include "common/kafka/topic_admin.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/kafka/fresh_space.h"

namespace fanfold::testing {
namespace {

std::unique_ptr<EventLog> MakeLog(std::int32_t partitions) {
  const KafkaOptions options = FreshSpace();
  const Status made = CreateTopics(options, partitions, 1);
  FANFOLD_CHECK(made.has_value(), made.error().message);
  return *NewKafkaEventLog(options);
}

// The outcome topic, of one partition, which takes no batch above so many bytes.
void MakeNarrowTopic(const KafkaOptions& options, const char* batch_bytes_max) {
  constexpr int kTimeoutMs = 30'000;
  const kafka::ClientPtr client = *kafka::NewAskingClient(options);
  std::array<char, 512> reason{};
  rd_kafka_NewTopic_t* topic =
      rd_kafka_NewTopic_new(KafkaTopicName(options, topics::kRelationOutcomes).c_str(), 1, 1,
                            reason.data(), reason.size());
  rd_kafka_NewTopic_set_config(topic, "max.message.bytes", batch_bytes_max);
  const kafka::QueuePtr queue(rd_kafka_queue_new(client.get()));
  rd_kafka_CreateTopics(client.get(), &topic, 1, nullptr, queue.get());
  const kafka::EventPtr event(rd_kafka_queue_poll(queue.get(), kTimeoutMs));
  rd_kafka_NewTopic_destroy(topic);
  FANFOLD_CHECK(event && rd_kafka_event_error(event.get()) == RD_KAFKA_RESP_ERR_NO_ERROR,
                "the topic could not be made");
  // Makes the other, and waits until both are led.
  const Status made = CreateTopics(options, 1, 1);
  FANFOLD_CHECK(made.has_value(), made.error().message);
}

// A broker takes the first batch that it sees of a producer in a partition whatever its number, so
// one that was on its way behind a refused one would get in.
TEST(KafkaAppender, ToldToStopOnFailureNoBatchIsOnItsWayBehindARefusedOne) {
  const std::string refused(960'000, 'x');
  const std::string taken(900'000, 'x');  // in a batch of its own
  for (int round = 0; round < 5; ++round) {
    const KafkaOptions options = FreshSpace();
    MakeNarrowTopic(options, "950000");
    const std::unique_ptr<EventLog> log = *NewKafkaEventLog(options);
    auto appender = *log->NewAppender(topics::kRelationOutcomes,
                                      {.delivery_timeout_ms = 0, .stop_on_failure = true});
    Answers answers;
    appender->Append(Partition(0), "k", refused, answers.Next());
    appender->Append(Partition(0), "k", taken, answers.Next());
    for (const auto& answer : answers.Await()) EXPECT_FALSE(answer.has_value());
    appender.reset();
    EXPECT_EQ(log->Bounds(topics::kRelationOutcomes, Partition(0))->end, Offset(0));
  }
}

INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract,
                         ::testing::Values(EventLogFactory{
                             .adapter = "Kafka",
                             .make = &MakeLog,
                             .make_without_topics = [] { return *NewKafkaEventLog(FreshSpace()); },
                             .too_large_bytes = 1'100'000}),
                         NameOf);

TEST(CreateTopics, AgainWithTheSameNumberIsFine) {
  const KafkaOptions options = FreshSpace();
  EXPECT_TRUE(CreateTopics(options, 2, 1).has_value());
  EXPECT_TRUE(CreateTopics(options, 2, 1).has_value());
}

// Kafka takes no partition back; who has raised the number must be able to go on.
TEST(CreateTopics, MorePartitionsThanAskedForAreFine) {
  const KafkaOptions options = FreshSpace();
  ASSERT_TRUE(CreateTopics(options, 4, 1).has_value());
  EXPECT_TRUE(CreateTopics(options, 2, 1).has_value());
}

TEST(CreateTopics, FewerPartitionsAreRefusedNamingBoth) {
  const KafkaOptions options = FreshSpace();
  ASSERT_TRUE(CreateTopics(options, 2, 1).has_value());
  const Status again = CreateTopics(options, 4, 1);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, ErrorCode::kRefused);
  EXPECT_THAT(again.error().message, ::testing::HasSubstr("has 2 partitions, not 4"));
}

TEST(CreateTopics, MoreReplicasThanBrokersIsRefused) {
  EXPECT_EQ(CreateTopics(FreshSpace(), 2, 100).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace fanfold::testing
