// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <memory>
#include <string>

#include "common/kafka/append_right.h"
#include "common/kafka/kafka_event_log.h"
#include "common/ports/event_log.h"

namespace fanfold::kafka {

// Requires: the topic exists. `refused_ms`: as AppendRight has it.
[[nodiscard]] Result<std::unique_ptr<LogAppender>> NewAppender(
    const KafkaOptions& options, const std::string& topic, const AppenderOptions& appender,
    std::int64_t refused_ms = AppendRight::kRefusedMs);

}  // namespace fanfold::kafka
