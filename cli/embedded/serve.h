#pragma once

#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "common/base/shutdown.h"
#include "common/config/config.h"

namespace fanfold::embedded {

// Writer, projectors and reader in this process, on the folder and the reader's port, until
// the signal; a second one cuts its leave short. kRefused when another process has the folder.
[[nodiscard]] ExitCode Serve(const Config& config, Console& console, ShutdownSignal& shutdown);

}  // namespace fanfold::embedded
