// Finds what is wrong with a deployment.
#pragma once

#include <vector>

#include "operations/base/context.h"
#include "operations/doctor/check.h"

namespace fanfold::operations {

// Checks everything that the deployment stands on. Each check names what is not as it should be and
// what to do about it. Changes nothing. A part that cannot be looked at is a finding too. Blocks as
// the ports do.
[[nodiscard]] std::vector<Check> Examine(Context& context);

}  // namespace fanfold::operations
