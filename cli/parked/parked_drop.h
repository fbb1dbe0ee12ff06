// `fanfold parked drop`
#pragma once

#include "cli/terminal/session.h"
#include "operations/parked/parked_drop.h"

namespace fanfold {

// kError where nothing is parked, or several projections parked something and none was named; the
// others are dropped.
[[nodiscard]] ExitCode RunParkedDrop(Session& session,
                                     const operations::ParkedDropOptions& options);

}  // namespace fanfold
