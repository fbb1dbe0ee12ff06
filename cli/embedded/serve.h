#pragma once

#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/session.h"
#include "common/base/config.h"

namespace fanfold::embedded {

// Writer, both projectors and reader in this process, on the reader's port, until interrupted.
// kRefused when another process has the folder.
[[nodiscard]] ExitCode Serve(const std::string& folder, const Config& config, Console& console,
                             Interrupt& interrupt);

}  // namespace fanfold::embedded
