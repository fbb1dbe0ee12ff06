#include "common/kafka/kafka_event_log.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "common/kafka/appender.h"
#include "common/kafka/bounds.h"
#include "common/kafka/client.h"
#include "common/kafka/reader.h"

namespace fanfold {
namespace {

using kafka::ClientPtr;
using kafka::DescribeTopic;
using kafka::TopicShape;

class KafkaEventLog final : public EventLog {
 public:
  KafkaEventLog(const KafkaOptions& options, ClientPtr client)
      : options_(options), client_(std::move(client)) {}

  Result<std::int32_t> PartitionCount(Topic topic) override {
    Result<TopicShape> shape =
        DescribeTopic(Client().get(), KafkaTopicName(options_, topic), options_.bounds.timeout_ms);
    if (!shape) return Forward(shape);
    return shape->partitions();
  }

  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    return kafka::QueryBounds(Client().get(), KafkaTopicName(options_, topic), partitions,
                              options_.bounds);
  }

  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions& options) override {
    if (Result<std::int32_t> count = PartitionCount(topic); !count) return Forward(count);
    return kafka::NewReader(options_, KafkaTopicName(options_, topic), options);
  }

  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic,
                                                   const AppenderOptions& options) override {
    // A producer that asks for a topic has a broker create it, with as many partitions as the
    // broker likes: it must be there before.
    if (Result<std::int32_t> count = PartitionCount(topic); !count) return Forward(count);
    return kafka::NewAppender(options_, KafkaTopicName(options_, topic), options);
  }

  Result<std::string> Id() override {
    Result<std::string> cluster = kafka::ClusterId(Client().get(), options_.bounds.timeout_ms);
    if (!cluster || options_.space.empty()) return cluster;
    return *cluster + "/" + options_.space;
  }

  Status Ping(std::int64_t timeout_ms) override {
    auto answered = kafka::AskAnyBroker(Client().get(), timeout_ms, "ping");
    return answered ? Status() : Forward(answered);
  }

 private:
  std::shared_ptr<rd_kafka_t> Client() {
    std::shared_ptr<rd_kafka_t> outdated;  // goes after the lock
    const std::scoped_lock lock(mutex_);
    if (!kafka::IsOutdated(client_.get())) return client_;
    Result<ClientPtr> fresh = kafka::NewAskingClient(options_);
    if (fresh && kafka::IsCurrent(fresh->get())) {
      outdated = std::exchange(client_, *std::move(fresh));
    }
    return client_;
  }

  const KafkaOptions options_;
  std::mutex mutex_;
  std::shared_ptr<rd_kafka_t> client_;  // thread-safe; lives as long as calls use it
};

}  // namespace

std::string KafkaTopicName(const KafkaOptions& options, Topic topic) {
  return kafka::InSpace(options, std::string(topic.name()));
}

Result<std::unique_ptr<EventLog>> NewKafkaEventLog(const KafkaOptions& options) {
  Result<ClientPtr> client = kafka::NewAskingClient(options);
  if (!client) return Forward(client);
  return std::make_unique<KafkaEventLog>(options, *std::move(client));
}

}  // namespace fanfold
