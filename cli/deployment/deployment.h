// Which deployment a command means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/config/load.h"

namespace fanfold {

// What the command line says. At most one of the first two is set.
struct DeploymentChoice {
  std::optional<std::string> config_file;
  std::optional<std::string> embedded_dir;
  std::vector<FlagValue> flags;
};

// Where to look when it says nothing.
struct DeploymentPlaces {
  std::string stack_dir = "./var/stack";
  std::string embedded_dir = "./var/fanfold";
};

// Its configuration. Without a choice it is FANFOLD_CONFIG's, else whichever runs. Errors:
// kInvalidArgument, the configuration is wrong, or nothing is named and nothing runs; kRefused,
// both run.
[[nodiscard]] Result<Configured> FindDeployment(const DeploymentChoice& choice,
                                                const DeploymentPlaces& places);

// Where it comes from, when something is named.
[[nodiscard]] std::optional<ConfigSources> SourcesOf(const DeploymentChoice& choice);

// A process of the stack runs: its run/NAME.pid names a live process whose command line fits NAME.
[[nodiscard]] bool StackIsRunning(const std::string& stack_dir);

// Could a process with that command line (arguments end in NUL) be the service of that name? Guards
// against a pid that was given to somebody else. Pure.
[[nodiscard]] bool CommandLineFits(std::string_view service, std::string_view command_line);

}  // namespace fanfold
