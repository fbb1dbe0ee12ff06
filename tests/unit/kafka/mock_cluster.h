// librdkafka's mock cluster: one broker that fails as it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <optional>
#include <string>
#include <vector>

#include "common/kafka/kafka_event_log.h"

namespace fanfold {

// Numbers of Kafka's protocol.
inline constexpr std::int16_t kProduceRequest = 0;
inline constexpr std::int16_t kFetchRequest = 1;
inline constexpr std::int16_t kListOffsetsRequest = 2;
inline constexpr std::int16_t kInitProducerIdRequest = 22;

class MockCluster {
 public:
  explicit MockCluster(std::int32_t partitions = 2, int brokers = 1)
      : client_(rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), nullptr, 0)),
        cluster_(rd_kafka_mock_cluster_new(client_, brokers)) {
    for (const Topic topic : {topics::kRelationEvents, topics::kRelationOutcomes}) {
      rd_kafka_mock_topic_create(cluster_, KafkaTopicName({}, topic).c_str(), partitions, 1);
    }
  }
  MockCluster(const MockCluster&) = delete;
  MockCluster& operator=(const MockCluster&) = delete;
  ~MockCluster() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(client_);
  }

  [[nodiscard]] KafkaOptions options() const {
    return {rd_kafka_mock_cluster_bootstraps(cluster_), ""};
  }
  // The next requests of that kind are answered with these errors.
  void FailNext(std::int16_t request, const std::vector<rd_kafka_resp_err_t>& errors) {
    rd_kafka_mock_push_request_errors_array(cluster_, request, errors.size(), errors.data());
  }
  void FailNoMore(std::int16_t request) { rd_kafka_mock_clear_request_errors(cluster_, request); }
  // What the broker says of a topic from now on.
  void FailTopic(Topic topic, rd_kafka_resp_err_t error) {
    rd_kafka_mock_topic_set_error(cluster_, KafkaTopicName({}, topic).c_str(), error);
  }
  void SetLeader(Topic topic, Partition partition, bool led) {
    SetLeader(topic, partition, led ? kBroker : -1);
  }
  void SetLeader(Topic topic, Partition partition, std::int32_t broker) {
    rd_kafka_mock_partition_set_leader(cluster_, KafkaTopicName({}, topic).c_str(), partition.value,
                                       broker);
  }
  void Down(std::int32_t broker = kBroker) { rd_kafka_mock_broker_set_down(cluster_, broker); }
  void Up() { rd_kafka_mock_broker_set_up(cluster_, kBroker); }
  // How long the broker takes to answer.
  void SetRoundTripMs(int ms) { rd_kafka_mock_broker_set_rtt(cluster_, kBroker, ms); }

 private:
  static constexpr std::int32_t kBroker = 1;

  rd_kafka_t* client_;
  rd_kafka_mock_cluster_t* cluster_;
};

// A producer of somebody else's, who keeps to none of our limits.
inline void ProduceForeign(const KafkaOptions& options, const std::optional<std::string>& value) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", options.brokers.c_str(), nullptr, 0);
  rd_kafka_conf_set(conf, "message.max.bytes", "20000000", nullptr, 0);
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
  const std::string topic = KafkaTopicName(options, topics::kRelationEvents);
  void* bytes = value ? const_cast<char*>(value->data()) : nullptr;
  const std::size_t size = value ? value->size() : 0;
  EXPECT_EQ(rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(0),
                              RD_KAFKA_V_VALUE(bytes, size), RD_KAFKA_V_END),
            RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_EQ(rd_kafka_flush(producer, 10'000), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_destroy(producer);
}

}  // namespace fanfold
