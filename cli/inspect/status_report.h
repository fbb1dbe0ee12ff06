// A report of the lanes as text and as JSON. Pure.
#pragma once

#include <string>

#include "operations/lanes/status.h"

namespace fanfold {

// A table of the projections, then one of the lanes: those that lag or do not run, or all.
[[nodiscard]] std::string StatusText(const operations::StatusReport& report, bool all_lanes);

// {"read":{…},"projections":[…],"lanes":[…],"failures":[…]} in one line.
[[nodiscard]] std::string StatusJson(const operations::StatusReport& report);

}  // namespace fanfold
