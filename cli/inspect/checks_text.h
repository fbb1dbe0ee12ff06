// The text of checks in `fanfold doctor` and `fanfold init`. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/exit_code.h"
#include "operations/doctor/check.h"

namespace fanfold {

// A line a finding, what to do below it; one for each check without any.
[[nodiscard]] std::string ChecksText(const std::vector<operations::Check>& checks);
// {"checks":[{"name","level","text","findings":[{"level","what","do"}]}],"findings":N} in one line.
[[nodiscard]] std::string ChecksJson(const std::vector<operations::Check>& checks);

// kError where somebody could not look, else kDifferent when there is a problem. A warning is none:
// one broker may be all that is wanted.
[[nodiscard]] ExitCode ExitCodeOf(const std::vector<operations::Check>& checks) noexcept;

}  // namespace fanfold
