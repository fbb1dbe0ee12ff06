// `fanfold init`
#pragma once

#include "cli/terminal/session.h"

namespace fanfold {

// Tells what was mended, and what nobody but the operator can: kDifferent or kError then.
[[nodiscard]] ExitCode RunInit(Session& session);

}  // namespace fanfold
