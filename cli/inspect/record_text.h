// A record of the log as one line for people, or as one line of JSON. Pure.
#pragma once

#include <string>

#include "common/ports/event_log.h"
#include "common/stream/slot.h"

namespace fanfold {

// "time  position  follow 1 → 2 …"; what cannot be decoded is shown as such, with its reason and
// its bytes, escaped and shortened.
[[nodiscard]] std::string RecordText(Topic topic, const LogRecord& record, std::int32_t partitions);

// {"topic","position","appended_ms","key","value"}: the value as it stands in the log where it can
// be decoded, else as an escaped string beside "unreadable":{"reason","detail"}.
[[nodiscard]] std::string RecordJson(Topic topic, const LogRecord& record, std::int32_t partitions);

}  // namespace fanfold
