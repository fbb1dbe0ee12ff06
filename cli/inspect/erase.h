// `fanfold erase USER`
#pragma once

#include "cli/terminal/session.h"
#include "common/stream/ids.h"

namespace fanfold {

struct EraseOptions {
  UserId user;
};

// Prints what of the user remains in the topics, and how a log is written without it.
[[nodiscard]] ExitCode RunErase(Session& session, const EraseOptions& options);

}  // namespace fanfold
