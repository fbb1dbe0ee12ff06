// Makes a deployment's topics.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/result.h"
#include "common/kafka/kafka_event_log.h"

namespace fanfold {

inline constexpr std::int64_t kCreateTopicsTimeoutMs = 60'000;
inline constexpr std::int32_t kReplicationMax = 3;
inline constexpr std::int32_t kBrokersDefault = -1;  // default.replication.factor

// Copies of a new topic: as many as there are brokers, absent ones included if they are named, at
// most kReplicationMax. Where one alone is to be seen the brokers decide: others may be about to
// start.
[[nodiscard]] std::int32_t ReplicationFor(std::string_view addresses, std::int32_t brokers);

// Creates the topics of every stream where missing, kept forever and never compacted, with the
// broker's append time, and waits until every partition has a leader. The number of partitions is
// for life: a topic that exists with fewer is kRefused, the message naming both; one with more is
// taken. Without `replication`: ReplicationFor. Other errors: kInvalidArgument (a number the
// brokers cannot meet), kUnavailable (call again). Blocks ≤ kCreateTopicsTimeoutMs.
[[nodiscard]] Status CreateTopics(const KafkaOptions& options, std::int32_t partitions,
                                  std::optional<std::int32_t> replication = {});

}  // namespace fanfold
