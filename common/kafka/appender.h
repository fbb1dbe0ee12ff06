// Inside common/kafka only.
#pragma once

#include <memory>
#include <string>

#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"

namespace fanfold::kafka {

// Requires: the topic exists.
[[nodiscard]] Result<std::unique_ptr<LogAppender>> NewAppender(const KafkaOptions& options,
                                                               const std::string& topic,
                                                               const AppenderOptions& appender);

}  // namespace fanfold::kafka
