// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <librdkafka/rdkafka.h>
#include <span>
#include <string>
#include <vector>

#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"

namespace fanfold::kafka {

// Asks the partitions' leaders, each once for all that it leads. Answers and errors as
// EventLog::BoundsOf. Blocks ≤ wait.timeout_ms, brokers there or not.
[[nodiscard]] std::vector<Result<LogBounds>> QueryBounds(rd_kafka_t* client,
                                                         const std::string& topic,
                                                         std::span<const Partition> partitions,
                                                         const BoundsWait& wait);

}  // namespace fanfold::kafka
