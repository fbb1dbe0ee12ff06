// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <librdkafka/rdkafka.h>
#include <string>

#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"

namespace fanfold::kafka {

// Asks the partition's leader. Errors: kNotFound, kUnavailable. Blocks ≤ wait.timeout_ms, brokers
// there or not.
[[nodiscard]] Result<LogBounds> QueryBounds(rd_kafka_t* client, const std::string& topic,
                                            Partition partition, const BoundsWait& wait);

}  // namespace fanfold::kafka
