// Any verb on whichever deployment was found: the adapters are put in here.
#pragma once

#include "cli/command_line/command_line.h"
#include "cli/deployment/deployment.h"
#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "operations/base/interrupt.h"

namespace fanfold {

// Opens it, and blocks until the verb has ended. From any thread; a folder that nobody serves is
// one call's at a time.
[[nodiscard]] ExitCode RunOnFound(const FoundDeployment& found, const CommandLine& command,
                                  Console& console, operations::Interrupt& interrupt);

// Is there a deployment in that folder? Errors: kNotFound, and what would make one.
[[nodiscard]] Status CheckFolder(const std::string& folder);

}  // namespace fanfold
