// What the brokers say of a deployment's topics.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "common/kafka/kafka_event_log.h"
#include "common/ports/environment.h"

namespace fanfold {

inline constexpr std::int64_t kReadTopicFactsTimeoutMs = 5000;

// Creates nothing. Errors: kNotFound, a topic is missing; kUnavailable. Blocks for at most
// kReadTopicFactsTimeoutMs.
[[nodiscard]] Result<LogFacts> ReadKafkaFacts(const KafkaOptions& options);

}  // namespace fanfold
