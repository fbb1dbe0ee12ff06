// Each setting as a flag of a program.
#pragma once

#include <string>
#include <vector>

#include "common/config/load.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fanfold {

// Says why a path cannot be meant, as with an unset variable of a shell; empty when it can.
[[nodiscard]] std::string WhyNoPath(const std::string& path);

// --config, and a flag for each setting that the program takes; its own port is --port too. Parsing
// writes into `sources`, which has to outlive it.
void AddConfigFlags(CLI::App& app, Program program, ConfigSources& sources);

// Without --config, in that part of the help; not shown where it is empty.
void AddSettingFlags(CLI::App& app, Program program, const char* part,
                     std::vector<FlagValue>& given);

inline constexpr std::string_view kRunHelp = "Run with --help for more information.";

// The command that was asked for, a verb of a verb perhaps, and its name with those before it.
[[nodiscard]] const CLI::App& CommandIn(const CLI::App& app);
[[nodiscard]] std::string NameOf(const CLI::App& command);

// Says, after a parsing that failed, which word is no option, and the nearest that is, unless all
// are far from it; empty where there is no such word.
[[nodiscard]] std::string WhyNoOption(const CLI::App& app);

}  // namespace fanfold
