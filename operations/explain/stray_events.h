// Finds the events of an edge that do not stand in its subject's partition.
#pragma once

#include <cstddef>

#include "common/ports/event_log.h"
#include "common/stream/ids.h"
#include "operations/base/backend.h"
#include "operations/explain/edge_story.h"

namespace fanfold::operations {

inline constexpr std::size_t kParkedLookedAtMax = 10'000;
inline constexpr std::size_t kStraysReadMax = 200;

// Looks through the parked rows, and reads from the log those that may be of the edge. `home`: the
// partition of the subject. Errors: as ProjectionReader's and LogReader's.
[[nodiscard]] Result<StrayEvents> FindStrays(const ShardReaders& readers, EventLog& log,
                                             UserId subject, UserId object, Partition home);

}  // namespace fanfold::operations
