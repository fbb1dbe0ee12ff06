// A record of user-events in words. Pure.
#pragma once

#include <expected>
#include <string>

#include "common/ports/event_log.h"
#include "common/profile/profile_event.h"

namespace fanfold {

[[nodiscard]] std::expected<std::string, Unreadable> ProfileRecordText(const LogRecord& record,
                                                                       std::int32_t partitions);

}  // namespace fanfold
