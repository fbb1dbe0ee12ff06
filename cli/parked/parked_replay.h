// `fanfold parked replay`
#pragma once

#include "cli/terminal/session.h"
#include "operations/parked/parked_replay.h"

namespace fanfold {

// Tells of each record what became of it. kError when one cannot be read or appended, else kRefused
// when one must not be appended.
[[nodiscard]] ExitCode RunParkedReplay(Session& session,
                                       const operations::ParkedReplayOptions& options);

}  // namespace fanfold
