// `fanfold repair`
#pragma once

#include "cli/terminal/session.h"
#include "operations/audit/repair.h"

namespace fanfold {

// kFine when nothing is left, kDifferent when something is; with dry_run when something is to be
// mended.
[[nodiscard]] ExitCode RunRepair(Session& session, const operations::RepairOptions& options);

}  // namespace fanfold
