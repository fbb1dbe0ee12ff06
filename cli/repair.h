// `fanfold repair`
#pragma once

#include "cli/session.h"

namespace fanfold {

struct RepairOptions {
  bool dry_run = false;
};

// Verifies, mends what differs, and looks again at whoever was touched: kFine when nothing is left,
// kDifferent when something is; with dry_run when something is to be mended.
[[nodiscard]] ExitCode RunRepair(Session& session, const RepairOptions& options);

}  // namespace fanfold
