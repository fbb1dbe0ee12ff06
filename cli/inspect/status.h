// `fanfold status`
#pragma once

#include "cli/terminal/session.h"

namespace fanfold {

struct StatusOptions {
  bool watch = false;  // every second until interrupted
  bool all_lanes = false;
};

// kFine when it could be read, however far the lanes are.
[[nodiscard]] ExitCode RunStatus(Session& session, const StatusOptions& options);

}  // namespace fanfold
