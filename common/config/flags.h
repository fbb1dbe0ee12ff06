// Each setting as a flag of a program.
#pragma once

#include <vector>

#include "common/config/load.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fanfold {

// --config, and a flag for each setting that the program takes; its own port is --port too. Parsing
// writes into `sources`, which has to outlive it.
void AddConfigFlags(CLI::App& app, Program program, ConfigSources& sources);

// Without --config, in that part of the help; not shown where it is empty.
void AddSettingFlags(CLI::App& app, Program program, const char* part,
                     std::vector<FlagValue>& given);

}  // namespace fanfold
