// The moment of the past that a rebuild is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ports/event_log.h"
#include "operations/base/context.h"

namespace fanfold::operations {

// As EventsUntil, and kRefused, naming the first event's time, where the log held none yet: tables
// of nothing would be told to be verified.
[[nodiscard]] Result<std::vector<Offset>> EventsOfMoment(Context& context, EventLog& log,
                                                         std::int64_t until_ms,
                                                         std::int64_t rows_per_second);

}  // namespace fanfold::operations
