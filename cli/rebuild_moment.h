// The moment of the past that a rebuild is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/session.h"
#include "common/ports/event_log.h"

namespace fanfold {

// As EventsUntil, and kRefused, naming the first event's time, where the log held none yet: tables
// of nothing would be told to be verified.
[[nodiscard]] Result<std::vector<Offset>> EventsOfMoment(Session& session, EventLog& log,
                                                         std::int64_t until_ms,
                                                         std::int64_t rows_per_second);

}  // namespace fanfold
