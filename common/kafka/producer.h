// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <librdkafka/rdkafka.h>
#include <string>

#include "common/kafka/client.h"
#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"

namespace fanfold::kafka {

// The topic is destroyed first.
struct Producer {
  ClientPtr client;
  TopicPtr topic;
};

// Called from rd_kafka_poll, with `of`.
struct ProducerCalls {
  void* of = nullptr;
  void (*on_delivery)(rd_kafka_t*, const rd_kafka_message_t*, void*) = nullptr;
  void (*on_error)(rd_kafka_t*, int, const char*, void*) = nullptr;
};

// Idempotent. Blocks for at most a second, in which it learns where its topic is. Requires: the
// topic exists. Errors: kInvalidArgument.
[[nodiscard]] Result<Producer> NewProducer(const KafkaOptions& options, const std::string& topic,
                                           const AppenderOptions& appender,
                                           const ProducerCalls& calls);

}  // namespace fanfold::kafka
