// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/kafka/credentials.h"
#include "common/kafka/kafka_event_log.h"

namespace fanfold::kafka {

struct ClientDeleter {
  void operator()(rd_kafka_t* client) const noexcept {
    Forget(client);
    rd_kafka_destroy(client);
  }
};
struct TopicDeleter {
  void operator()(rd_kafka_topic_t* topic) const noexcept { rd_kafka_topic_destroy(topic); }
};
struct QueueDeleter {
  void operator()(rd_kafka_queue_t* queue) const noexcept { rd_kafka_queue_destroy(queue); }
};
struct ConfDeleter {
  void operator()(rd_kafka_conf_t* conf) const noexcept { rd_kafka_conf_destroy(conf); }
};
struct MetadataDeleter {
  void operator()(const rd_kafka_metadata_t* metadata) const noexcept {
    rd_kafka_metadata_destroy(metadata);
  }
};
struct PartitionListDeleter {
  void operator()(rd_kafka_topic_partition_list_t* list) const noexcept {
    rd_kafka_topic_partition_list_destroy(list);
  }
};

using ClientPtr = std::unique_ptr<rd_kafka_t, ClientDeleter>;
using TopicPtr = std::unique_ptr<rd_kafka_topic_t, TopicDeleter>;
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, QueueDeleter>;
using ConfPtr = std::unique_ptr<rd_kafka_conf_t, ConfDeleter>;
using MetadataPtr = std::unique_ptr<const rd_kafka_metadata_t, MetadataDeleter>;
using PartitionListPtr = std::unique_ptr<rd_kafka_topic_partition_list_t, PartitionListDeleter>;

using Settings = std::vector<std::pair<const char*, std::string>>;

// Settings of every handle of this adapter: brokers, Nagle off (a lone append would wait 40 ms for
// an ack), quick reconnects, logs to ours; then `settings`. kInvalidArgument names a setting that
// librdkafka refuses.
[[nodiscard]] Result<ConfPtr> NewConf(const KafkaOptions& options, const Settings& settings);

// A client that nobody follows (credentials.h). Errors: kInvalidArgument.
[[nodiscard]] Result<rd_kafka_t*> NewHandle(rd_kafka_type_t type, ConfPtr conf);

// With a `conf` of the same options.
[[nodiscard]] Result<ClientPtr> NewClient(const KafkaOptions& options, rd_kafka_type_t type,
                                          ConfPtr conf);

// A consumer handle that joins nothing and creates nothing: for reading and for asking.
[[nodiscard]] Result<ClientPtr> NewAskingClient(const KafkaOptions& options);

// How many brokers there are, by one that answers within timeout_ms, for which it blocks at most.
// Errors: kUnavailable, behind `what`.
[[nodiscard]] Result<std::int32_t> AskAnyBroker(rd_kafka_t* client, std::int64_t timeout_ms,
                                                std::string_view what);

// The id of the cluster. Blocks for at most timeout_ms. Errors: kUnavailable, no broker answers.
[[nodiscard]] Result<std::string> ClusterId(rd_kafka_t* client, std::int64_t timeout_ms);

[[nodiscard]] Result<TopicPtr> NewTopic(rd_kafka_t* client, const std::string& name);

// Who leads each of a topic's partitions.
struct TopicShape {
  static constexpr std::int32_t kNobody = -1;
  std::vector<std::int32_t> leaders;

  [[nodiscard]] std::int32_t partitions() const {
    return static_cast<std::int32_t>(leaders.size());
  }
  [[nodiscard]] bool led() const { return std::ranges::count(leaders, kNobody) == 0; }
};

// Errors: kNotFound, kUnavailable. Blocks for at most timeout_ms. Requires: an asking client
// (others would have a broker create the topic).
[[nodiscard]] Result<TopicShape> DescribeTopic(rd_kafka_t* client, const std::string& name,
                                               std::int64_t timeout_ms);

// "space-name", or the name alone where the deployment has no space.
[[nodiscard]] std::string InSpace(const KafkaOptions& options, const std::string& name);

}  // namespace fanfold::kafka
