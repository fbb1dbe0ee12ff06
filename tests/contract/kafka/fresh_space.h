#pragma once

#include "common/kafka/kafka_event_log.h"
#include "tests/support/servers.h"

namespace fanfold::testing {

// Topics and groups of their own on the test Kafka.
inline KafkaOptions FreshSpace() { return {TestServers().kafka_brokers, UniqueSpace()}; }

}  // namespace fanfold::testing
