// A record of feed-events in words. Pure.
#pragma once

#include <expected>
#include <string>

#include "common/feed/feed_event.h"
#include "common/ports/event_log.h"

namespace fanfold {

[[nodiscard]] std::expected<std::string, Unreadable> FeedRecordText(const LogRecord& record,
                                                                    std::int32_t partitions);

}  // namespace fanfold
