#include "common/base/check.h"
#include "common/kafka/kafka_event_log.h"
#include "common/kafka/topic_admin.h"
#include "tests/contract/event_log_contract.h"
#include "tests/support/servers.h"

namespace fanfold::testing {
namespace {

KafkaOptions FreshSpace() { return {TestServers().kafka_brokers, UniqueSpace()}; }

std::unique_ptr<EventLog> MakeLog(std::int32_t partitions) {
  const KafkaOptions options = FreshSpace();
  const Status made = CreateTopics(options, partitions, 1);
  FANFOLD_CHECK(made.has_value(), made.error().message);
  return NewKafkaEventLog(options);
}

INSTANTIATE_TEST_SUITE_P(Kafka, EventLogContract,
                         ::testing::Values(EventLogFactory{
                             .adapter = "Kafka",
                             .make = &MakeLog,
                             .make_without_topics = [] { return NewKafkaEventLog(FreshSpace()); },
                             .too_large_bytes = 1'100'000}),
                         NameOf);

TEST(CreateTopics, AgainWithTheSameNumberIsFine) {
  const KafkaOptions options = FreshSpace();
  EXPECT_TRUE(CreateTopics(options, 2, 1).has_value());
  EXPECT_TRUE(CreateTopics(options, 2, 1).has_value());
}

TEST(CreateTopics, AnotherNumberOfPartitionsIsRefusedNamingBoth) {
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
