#include "common/kafka/topic_facts.h"

#include <gtest/gtest.h>

#include "common/kafka/topic_admin.h"
#include "tests/contract/kafka/fresh_space.h"

namespace fanfold::testing {
namespace {

TEST(TopicFacts, AreWhatTheTopicsWereMadeWith) {
  const KafkaOptions options = FreshSpace();
  ASSERT_TRUE(CreateTopics(options, 4, 1));
  const Result<LogFacts> facts = ReadKafkaFacts(options);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(facts->on_brokers);
  ASSERT_FALSE(facts->brokers.empty());
  for (const BrokerFacts& broker : facts->brokers) {
    EXPECT_EQ(broker.settings.count("producer.id.expiration.ms"), 1U) << broker.id;
  }
  EXPECT_TRUE(facts->client.starts_with("librdkafka 2."));
  for (const Topic each : Topic::All()) {
    const TopicFacts& topic = facts->topics[each];
    EXPECT_EQ(topic.partitions, 4);
    EXPECT_EQ(topic.replicas_min, 1);
    EXPECT_EQ(topic.leaderless, 0);
    EXPECT_EQ(topic.under_replicated, 0);
    EXPECT_EQ(topic.settings.at("retention.ms"), "-1");
    EXPECT_EQ(topic.settings.at("retention.bytes"), "-1");
    EXPECT_EQ(topic.settings.at("cleanup.policy"), "delete");
    EXPECT_EQ(topic.settings.at("message.timestamp.type"), "LogAppendTime");
    EXPECT_EQ(topic.settings.count("min.insync.replicas"), 1U) << "defaults are told too";
  }
  EXPECT_EQ(facts->topics[topics::kRelationEvents].name,
            KafkaTopicName(options, topics::kRelationEvents));
}

TEST(TopicFacts, TopicThatIsNotThereIsNamedAndNotMade) {
  const KafkaOptions options = FreshSpace();
  for (int look = 0; look < 2; ++look) {
    const Result<LogFacts> facts = ReadKafkaFacts(options);
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().code, ErrorCode::kNotFound);
    EXPECT_NE(facts.error().message.find("relation-events"), std::string::npos);
  }
}

TEST(TopicFacts, NoBrokerIsUnavailable) {
  const Result<LogFacts> facts = ReadKafkaFacts({"127.0.0.1:1", "x"});
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace fanfold::testing
