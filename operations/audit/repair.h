// Mending what verify finds.
#pragma once

#include "common/base/result.h"
#include "operations/base/context.h"
#include "projector/audit/repairer.h"
#include "projector/audit/verifier.h"

namespace fanfold::operations {

struct RepairOptions {
  bool dry_run = false;
};

struct RepairResult {
  projector::VerifyReport found;
  projector::RepairReport mended;  // nothing with dry_run
  projector::VerifyReport left;    // with dry_run only their number
};

// Verifies, mends what differs, and looks again at whoever was touched. Errors: OpenAudited's,
// Verifier's, Repairer's. Blocks as long as it takes.
[[nodiscard]] Result<RepairResult> Repair(Context& context, const RepairOptions& options);

}  // namespace fanfold::operations
