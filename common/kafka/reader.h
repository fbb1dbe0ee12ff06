// Inside common/kafka only.
#pragma once

#include <memory>
#include <string>

#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"

namespace fanfold::kafka {

[[nodiscard]] Result<std::unique_ptr<LogReader>> NewReader(const KafkaOptions& kafka,
                                                           const std::string& topic,
                                                           const ReaderOptions& options);

}  // namespace fanfold::kafka
