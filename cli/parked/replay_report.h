// The lines of `fanfold parked replay`, one for each record. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/exit_code.h"
#include "operations/parked/parked_replay.h"

namespace fanfold {

// A line each.
[[nodiscard]] std::string ReplayText(const std::vector<operations::ReplayResult>& results);
// {"items":[{"position","result","detail","subject","object","type","new_position"}],…} in one
// line.
[[nodiscard]] std::string ReplayJson(const std::vector<operations::ReplayResult>& results);

[[nodiscard]] ExitCode ExitCodeOf(const std::vector<operations::ReplayResult>& results) noexcept;

}  // namespace fanfold
