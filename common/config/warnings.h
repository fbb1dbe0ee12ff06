// Finds what a configuration allows and people may not have meant. Pure, but for LogWarnings.
#pragma once

#include <string>
#include <vector>

#include "common/config/config.h"

namespace fanfold {

// A line for each way in which something leaves this machine in plain text, and what to do; none
// where allow_plaintext says that it may.
[[nodiscard]] std::vector<std::string> PlaintextOf(const Config& config);

// A line for each variable FANFOLD_… that nothing of ours takes, with the nearest that a setting
// has.
[[nodiscard]] std::vector<std::string> StrayVariables(const std::vector<std::string>& names);

// The names of this process's variables.
[[nodiscard]] std::vector<std::string> VariableNames();

// Both.
[[nodiscard]] std::vector<std::string> WarningsOf(const Config& config);
// Logs them as warnings, for a process that starts.
void LogWarnings(const Config& config);

}  // namespace fanfold
