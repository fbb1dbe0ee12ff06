// `fanfold wait`
#pragma once

#include <cstdint>

#include "cli/session.h"

namespace fanfold {

struct WaitOptions {
  std::int64_t timeout_ms = 60'000;
  bool quiet = false;  // prints nothing when it has caught up
  // Waits for no partition one of whose lanes is paused or halted.
  bool passes_stopped = false;
};

// kFine once the tables that are read, and the reader, hold every event the log held when it was
// called; kDifferent when the time ran out or it was interrupted, having named the lanes that lag;
// kRefused at once when one of them has halted. A paused one, or a database that is away, is waited
// for like a lane that lags.
[[nodiscard]] ExitCode RunWait(Session& session, const WaitOptions& options);

}  // namespace fanfold
