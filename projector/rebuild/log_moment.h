// Where the events stood at a moment.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold::projector {

// By partition of the topic, the first event that was appended after `until_ms` (ms since 1970 UTC,
// the log's own time), or the end: the events below it are those of then. Bisects, which reads some
// twenty records of a partition; where the log's clock went back, it finds one of the places where
// that time passed. `pace` only stops it. Errors: the log's; PollPatiently's.
[[nodiscard]] Result<std::vector<Offset>> EventsUntil(EventLog& log, Topic events,
                                                      std::int32_t partitions,
                                                      std::int64_t until_ms, ScanPace& pace);

}  // namespace fanfold::projector
