// Records of post-events and post-outcomes in words. Pure.
#pragma once

#include <expected>
#include <string>

#include "common/ports/event_log.h"
#include "common/post/post_outcome.h"

namespace fanfold {

[[nodiscard]] std::expected<std::string, Unreadable> PostEventText(const LogRecord& record,
                                                                   std::int32_t partitions);
[[nodiscard]] std::expected<std::string, Unreadable> PostOutcomeText(const LogRecord& record,
                                                                     std::int32_t partitions);

}  // namespace fanfold
