// Finds the records that name a user, and their replacements in a log without the user. Pure.
#pragma once

#include <string>

#include "common/ports/event_log.h"
#include "common/stream/ids.h"

namespace fanfold::operations {

// Does the record name the user: by its key, or in what it says, as owner or as the other?
[[nodiscard]] bool Names(Topic topic, const LogRecord& record, UserId user);

// The value of the record that takes its place, under an empty key: the event of that place is
// parked. Requires: Names.
[[nodiscard]] std::string ValueInItsPlace(Topic topic, const LogRecord& record);

}  // namespace fanfold::operations
