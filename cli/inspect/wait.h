// `fanfold wait`
#pragma once

#include <cstdint>
#include <span>

#include "cli/terminal/session.h"
#include "operations/lanes/lanes.h"

namespace fanfold {

struct WaitOptions {
  std::int64_t timeout_ms = 60'000;
  bool quiet = false;  // answers nothing: another verb will
  // Waits for no partition one of whose lanes is paused or halted.
  bool passes_stopped = false;
};

// kFine once what the log held when it was called can be read; kDifferent when the time ran out,
// having named the lanes that lag; kError when it was interrupted; kRefused at once when one of
// them has halted.
[[nodiscard]] ExitCode RunWait(Session& session, const WaitOptions& options);

// The first of them, a line each.
void SayLagging(Console& console, std::span<const operations::LaggingLane> lagging);

}  // namespace fanfold
