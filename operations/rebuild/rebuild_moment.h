// The moment of the past that a rebuild is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ports/event_log.h"
#include "operations/base/context.h"

namespace fanfold::operations {

// EventsUntil, of this stream's events. Also kRefused, naming the time of the first event, when the
// log held no event of any stream yet: tables of nothing would pass as verified.
[[nodiscard]] Result<std::vector<Offset>> EventsOfMoment(Context& context, EventLog& log,
                                                         Stream stream, std::int64_t until_ms,
                                                         std::int64_t rows_per_second);

}  // namespace fanfold::operations
