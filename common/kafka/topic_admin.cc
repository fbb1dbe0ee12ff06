#include "common/kafka/topic_admin.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <utility>

#include "common/base/backoff.h"
#include "common/kafka/admin.h"
#include "common/kafka/client.h"
#include "common/kafka/errors.h"

namespace fanfold {
namespace {

using kafka::AdminOptionsPtr;
using kafka::ClientPtr;
using kafka::DescribeTopic;
using kafka::ErrorOf;
using kafka::EventPtr;
using kafka::kErrorTextBytesMax;
using kafka::MsUntil;
using kafka::QueuePtr;
using kafka::TopicShape;
using SteadyClock = std::chrono::steady_clock;

constexpr std::int64_t kWaitFirstMs = 10;
constexpr std::int64_t kWaitMaxMs = 500;

struct NewTopicDeleter {
  void operator()(rd_kafka_NewTopic_t* topic) const noexcept { rd_kafka_NewTopic_destroy(topic); }
};
using NewTopicPtr = std::unique_ptr<rd_kafka_NewTopic_t, NewTopicDeleter>;

// The time of a record is the broker's: upstream's clocks are off, and are not the order of the
// log.
constexpr std::array<std::pair<const char*, const char*>, 4> kTopicConfig = {{
    {"retention.ms", "-1"},
    {"retention.bytes", "-1"},
    {"cleanup.policy", "delete"},
    {"message.timestamp.type", "LogAppendTime"},
}};

Status RequestTopic(rd_kafka_t* client, const std::string& name, std::int32_t partitions,
                    std::int32_t replication, SteadyClock::time_point deadline) {
  std::array<char, kErrorTextBytesMax> reason{};
  const NewTopicPtr topic(
      rd_kafka_NewTopic_new(name.c_str(), partitions, replication, reason.data(), reason.size()));
  if (topic == nullptr) return Fail(ErrorCode::kInvalidArgument, name + ": " + reason.data());
  for (const auto& [key, value] : kTopicConfig) {
    rd_kafka_NewTopic_set_config(topic.get(), key, value);
  }
  const QueuePtr queue(rd_kafka_queue_new(client));
  const AdminOptionsPtr options(rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_CREATETOPICS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), MsUntil(deadline), nullptr, 0);
  rd_kafka_NewTopic_t* request = topic.get();
  rd_kafka_CreateTopics(client, &request, 1, options.get(), queue.get());
  const EventPtr event(rd_kafka_queue_poll(queue.get(), MsUntil(deadline)));
  if (event == nullptr) return Fail(ErrorCode::kUnavailable, name + ": creating it timed out");
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::unexpected(ErrorOf(error, name));
  }
  std::size_t count = 0;
  const rd_kafka_topic_result_t** results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(results[0]);
  // Somebody else may have been faster; who made it is checked by its shape.
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR && error != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    const char* words = rd_kafka_topic_result_error_string(results[0]);
    return std::unexpected(ErrorOf(error, fmt::format("{}: {}", name, words ? words : "")));
  }
  return {};
}

// Every broker learns of a topic in its own time.
Status AwaitTopic(rd_kafka_t* client, const std::string& name, std::int32_t partitions,
                  SteadyClock::time_point deadline) {
  Backoff backoff(kWaitFirstMs, kWaitMaxMs);
  while (true) {
    const Result<TopicShape> shape = DescribeTopic(client, name, MsUntil(deadline));
    if (shape && shape->partitions() < partitions) {
      return Fail(ErrorCode::kRefused, fmt::format("{} has {} partitions, not {}", name,
                                                   shape->partitions(), partitions));
    }
    if (shape && shape->led()) return {};
    if (SteadyClock::now() >= deadline) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("{}: not every partition has a leader yet", name));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(backoff.Next()));
  }
}

Status CreateTopic(rd_kafka_t* client, const std::string& name, std::int32_t partitions,
                   std::int32_t replication, SteadyClock::time_point deadline) {
  Result<TopicShape> shape = DescribeTopic(client, name, MsUntil(deadline));
  if (!shape && shape.error().code != ErrorCode::kNotFound) return Forward(shape);
  if (!shape) {
    if (Status made = RequestTopic(client, name, partitions, replication, deadline); !made) {
      return made;
    }
  }
  return AwaitTopic(client, name, partitions, deadline);
}

}  // namespace

std::int32_t ReplicationFor(std::string_view addresses, std::int32_t brokers) {
  const auto named = static_cast<std::int32_t>(1 + std::ranges::count(addresses, ','));
  const std::int32_t replicas = std::min(kReplicationMax, std::max(named, brokers));
  return replicas > 1 ? replicas : kBrokersDefault;
}

Status CreateTopics(const KafkaOptions& options, std::int32_t partitions,
                    std::optional<std::int32_t> replication) {
  const auto deadline = SteadyClock::now() + std::chrono::milliseconds(kCreateTopicsTimeoutMs);
  Result<ClientPtr> client = kafka::NewAskingClient(options);
  if (!client) return Forward(client);
  if (!replication) {
    auto brokers = kafka::AskAnyBroker(client->get(), MsUntil(deadline), "brokers");
    if (!brokers) return Forward(brokers);
    replication = ReplicationFor(options.brokers, *brokers);
  }
  for (const Topic topic : Topic::All()) {
    const std::string name = KafkaTopicName(options, topic);
    if (Status made = CreateTopic(client->get(), name, partitions, *replication, deadline); !made) {
      return made;
    }
  }
  return {};
}

}  // namespace fanfold
