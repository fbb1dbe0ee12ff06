// The brokers' facts about themselves and a deployment's topics.
#pragma once

#include "common/base/result.h"
#include "common/kafka/kafka_event_log.h"
#include "common/ports/environment.h"

namespace fanfold {

// Creates nothing. Errors: kNotFound, a topic is missing; kUnavailable. Blocks ≤
// options.bounds.timeout_ms.
[[nodiscard]] Result<LogFacts> ReadKafkaFacts(const KafkaOptions& options);

}  // namespace fanfold
