// `fanfold verify`
#pragma once

#include "cli/terminal/session.h"
#include "operations/audit/verify.h"

namespace fanfold {

// kFine when the tables are what the topics say, kDifferent when not.
[[nodiscard]] ExitCode RunVerify(Session& session, const operations::VerifyOptions& options);

}  // namespace fanfold
