#pragma once

#include <memory>

#include "common/base/metrics.h"
#include "common/ports/event_log.h"

namespace fanfold::writer {

// The appender of that topic, with fanfold_writer_events_appended_total and
// fanfold_writer_append_seconds (from the call to the log's ack). `metrics` outlives it.
[[nodiscard]] std::unique_ptr<LogAppender> NewMeteredAppender(Topic topic,
                                                              std::unique_ptr<LogAppender> appender,
                                                              Metrics& metrics);

}  // namespace fanfold::writer
