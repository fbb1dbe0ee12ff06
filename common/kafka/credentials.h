// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <librdkafka/rdkafka.h>

#include "common/kafka/kafka_event_log.h"

namespace fanfold::kafka {

// Has the client take another password within a second of its file's change, for whenever it has to
// say again who it is; nothing where it says it with none. Thread-safe.
void FollowPassword(rd_kafka_t* client, const KafkaOptions& options);
// Before the client goes.
void ForgetPassword(rd_kafka_t* client) noexcept;

}  // namespace fanfold::kafka
