// `fanfold config`
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "common/config/load.h"

namespace fanfold {

struct ConfigCheckOptions {};
struct ConfigPrintOptions {};
struct ConfigReferenceOptions {};

// `wrong`: what those say who were told of it, clients and ports. Adds what the verbs would, and of
// ports that are equal. `warnings` change no exit code.
[[nodiscard]] ExitCode RunConfigCheck(const Configured& configured, std::vector<Error> wrong,
                                      const std::vector<std::string>& warnings, bool json,
                                      Console& console);
// Every value, and where it came from.
[[nodiscard]] ExitCode RunConfigPrint(const Configured& configured, bool json, Console& console);
// The page docs/CONFIGURATION.md.
[[nodiscard]] ExitCode RunConfigReference(Console& console);

}  // namespace fanfold
