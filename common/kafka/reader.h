// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <librdkafka/rdkafka.h>
#include <memory>
#include <string>

#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"

namespace fanfold::kafka {

// `asker` answers for bounds: a broker serves a connection's requests in turn, so that on the
// reader's own they would wait for a fetch that is held open.
[[nodiscard]] Result<std::unique_ptr<LogReader>> NewReader(const KafkaOptions& options,
                                                           const std::string& topic,
                                                           std::shared_ptr<rd_kafka_t> asker);

}  // namespace fanfold::kafka
