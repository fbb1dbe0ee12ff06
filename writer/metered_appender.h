#pragma once

#include <functional>
#include <memory>

#include "common/base/metrics.h"
#include "common/ports/event_log.h"

namespace fanfold::writer {

// Is the log another than the one that was seen? Null: nobody looks.
using IsOther = std::function<bool()>;

// The appender of that topic, with fanfold_writer_events_appended_total and
// fanfold_writer_append_seconds (from the call to the log's ack). Nothing is appended to another
// log (kRefused), nor to a topic that was made again, whose acks go back: it may append no more
// (MayAppend). `metrics` outlives it.
[[nodiscard]] std::unique_ptr<LogAppender> NewMeteredAppender(Topic topic,
                                                              std::unique_ptr<LogAppender> appender,
                                                              Metrics& metrics,
                                                              IsOther is_other = nullptr);

}  // namespace fanfold::writer
