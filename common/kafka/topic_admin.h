// Makes a deployment's topics.
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "common/kafka/kafka_event_log.h"

namespace fanfold {

inline constexpr std::int64_t kCreateTopicsTimeoutMs = 60'000;

// Creates the topics of every stream where missing, kept forever and never compacted, with the
// broker's append time, and waits until every partition has a leader. The number of partitions is
// for life: a topic that exists with fewer is kRefused, the message naming both; one with more is
// taken. Other errors: kInvalidArgument (a number the brokers cannot meet), kUnavailable (call
// again). Blocks ≤ kCreateTopicsTimeoutMs.
[[nodiscard]] Status CreateTopics(const KafkaOptions& options, std::int32_t partitions,
                                  std::int32_t replication);

}  // namespace fanfold
