// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <string>

#include "common/ports/event_log.h"

namespace fanfold::kafka {

// Asks the partition's leader. Errors: kNotFound, kUnavailable. Blocks ≤ timeout_ms, brokers there
// or not.
[[nodiscard]] Result<LogBounds> QueryBounds(rd_kafka_t* client, const std::string& topic,
                                            Partition partition, std::int64_t timeout_ms);

}  // namespace fanfold::kafka
