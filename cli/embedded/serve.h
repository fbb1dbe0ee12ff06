#pragma once

#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/session.h"
#include "common/config/config.h"

namespace fanfold::embedded {

// Writer, projectors and reader in this process, on the folder and the reader's port, until
// interrupted. kRefused when another process has the folder.
[[nodiscard]] ExitCode Serve(const Config& config, Console& console,
                             operations::Interrupt& interrupt);

}  // namespace fanfold::embedded
