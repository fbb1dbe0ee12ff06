// What a log may be imported into.
#pragma once

#include <cstdint>

#include "cli/backend.h"
#include "common/ports/event_log.h"

namespace fanfold {

struct ImportTarget {
  std::int32_t partitions = 0;  // the deployment's
};

// Errors: kRefused, naming what stands there and what to do: a projector runs, by its consumer
// group (a lane's owner is a name that a kill leaves behind), a topic holds records, a lane has
// folded some, or a table has rows; those of the ports.
[[nodiscard]] Result<ImportTarget> CheckImportTarget(Backend& backend, EventLog& log);

}  // namespace fanfold
