// What a log may be imported into.
#pragma once

#include <cstdint>

#include "cli/backend.h"
#include "common/ports/event_log.h"

namespace fanfold {

// How many partitions the deployment has. Errors: kRefused, naming what stands there and what to
// do: a topic holds records, a lane has folded some, or has an owner; those of the ports.
[[nodiscard]] Result<std::int32_t> CheckImportTarget(Backend& backend, EventLog& log);

}  // namespace fanfold
