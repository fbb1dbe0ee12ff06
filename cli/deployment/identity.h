// `fanfold identity`
#pragma once

#include "cli/terminal/session.h"

namespace fanfold {

struct IdentityShowOptions {};
struct IdentityRenewOptions {
  bool yes = false;
};

// Prints each schema's identity; kDifferent where one does not fit, or could not be looked at.
[[nodiscard]] ExitCode RunIdentityShow(Session& session);

// Asks before it writes, unless it was told not to.
[[nodiscard]] ExitCode RunIdentityRenew(Session& session, const IdentityRenewOptions& options);

}  // namespace fanfold
