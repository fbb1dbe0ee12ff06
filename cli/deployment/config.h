// `fanfold config`
#pragma once

#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "common/config/load.h"

namespace fanfold {

struct ConfigCheckOptions {};
struct ConfigPrintOptions {};
struct ConfigReferenceOptions {};

// `usable`: what the clients say of what they were told.
[[nodiscard]] ExitCode RunConfigCheck(const Configured& configured, const Status& usable, bool json,
                                      Console& console);
// Every value, and where it came from.
[[nodiscard]] ExitCode RunConfigPrint(const Configured& configured, bool json, Console& console);
// The page docs/CONFIGURATION.md.
[[nodiscard]] ExitCode RunConfigReference(Console& console);

}  // namespace fanfold
