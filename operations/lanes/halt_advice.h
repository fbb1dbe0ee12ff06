// Why a lane stands still, for the operator who has to let it go on; docs/runbook.md says more.
#pragma once

#include <string>

#include "common/ports/projection_reader.h"

namespace fanfold::operations {

// One or more sentences: what the reason means and what to do. Empty for a lane that runs.
[[nodiscard]] std::string AdviceFor(const LaneStatus& lane);

}  // namespace fanfold::operations
