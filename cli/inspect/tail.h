// `fanfold tail`
#pragma once

#include "cli/terminal/session.h"
#include "operations/log/tail.h"

namespace fanfold {

// Prints records as they come until interrupted, or until as many were printed as are wanted.
[[nodiscard]] ExitCode RunTail(Session& session, const operations::TailOptions& options);

}  // namespace fanfold
