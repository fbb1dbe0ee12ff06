// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <cstdint>
#include <librdkafka/rdkafka.h>

#include "common/kafka/kafka_event_log.h"

namespace fanfold::kafka {

// What of a client's options stands in files that change while it lives, looked at twice a second.
// A password is told to the client, for whenever it has to say again who it is. Certificates and
// keys are read when a client is made and never again: a client is outdated, and its owner makes
// another, once a client can be made with what they hold now. What cannot be used changes nothing,
// and the log says so. Thread-safe.

// Asked before a client is made, for Follow to know what it was made with.
[[nodiscard]] std::uint64_t RoundOf(const KafkaOptions& options);
void Follow(rd_kafka_t* client, const KafkaOptions& options, std::uint64_t made_in_round);
[[nodiscard]] bool IsOutdated(rd_kafka_t* client);
// Before the client goes.
void Forget(rd_kafka_t* client) noexcept;

}  // namespace fanfold::kafka
