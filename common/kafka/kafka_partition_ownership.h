// Ownership of partitions by Kafka's consumer group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"
#include "common/ports/partition_ownership.h"

namespace fanfold {

struct OwnershipOptions {
  KafkaOptions kafka;
  std::string group;  // "fanfold-following", say; prefixed by the space
  Topic topic = topics::kRelationEvents;
  // How long a member may be silent before it is taken for dead, and how often it speaks. The
  // broker bounds the former (group.min.session.timeout.ms, 6000 by default).
  std::int64_t session_timeout_ms = 30'000;
  std::int64_t heartbeat_ms = 1'000;
};

// Joins the group for its assignment alone: nothing is fetched, nothing committed. Join fails with
// kInvalidArgument for options that no group takes and kRefused when called twice; it needs no
// broker, gains follow when there is one. A callback may take kOwnershipCallbackMs before the group
// goes on without this member.
inline constexpr std::int64_t kOwnershipCallbackMs = 300'000;

// The group of a projection's processes: "fanfold-following".
[[nodiscard]] std::string ProjectorGroup(std::string_view projection);

[[nodiscard]] std::unique_ptr<PartitionOwnership> NewKafkaPartitionOwnership(
    const OwnershipOptions& options);

}  // namespace fanfold
