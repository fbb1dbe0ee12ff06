// The moment of the past that a rebuild is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "common/ports/event_log.h"
#include "operations/base/context.h"

namespace fanfold::operations {

// As EventsUntil, of this stream, and kRefused, naming the first event's time, where the log held
// none yet of any: tables of nothing would be told to be verified.
[[nodiscard]] Result<std::vector<Offset>> EventsOfMoment(Context& context, EventLog& log,
                                                         Stream stream, std::int64_t until_ms,
                                                         std::int64_t rows_per_second);

}  // namespace fanfold::operations
