// `fanfold console`
#pragma once

#include <string>

#include "cli/command_line/command_line.h"
#include "cli/deployment/deployment.h"
#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "common/base/shutdown.h"

namespace fanfold {

// Says where the page is, and serves it until the signal. kRefused for a folder that nobody serves,
// then and at each verb: it would be opened and folded for each look.
[[nodiscard]] ExitCode RunConsole(const FoundDeployment& found, const ConsoleOptions& options,
                                  const std::string& program, Console& console,
                                  ShutdownSignal& signal);

}  // namespace fanfold
