// Finds the deployment that a command means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/config/load.h"

namespace fanfold {

// The command line's options. At most one of the first two is set.
struct DeploymentChoice {
  std::optional<std::string> config_file;
  std::optional<std::string> embedded_dir;
  std::vector<FlagValue> flags;
};

// Where to look when it says nothing: at the variables, then at what may be running.
struct DeploymentPlaces {
  Environment environment = {};
  std::string stack_dir = "./var/stack";
  std::string embedded_dir = "./var/fanfold";
};

struct FoundDeployment {
  ConfigSources sources;  // what its configuration comes from
  Configured configured;
};

// Without a choice it is FANFOLD_CONFIG's, else the one that settings name as flags or variables,
// else whichever runs. Errors: kInvalidArgument, the configuration is wrong, or nothing is named
// and nothing runs; kRefused, variables name two, or none and both run.
[[nodiscard]] Result<FoundDeployment> FindDeployment(const DeploymentChoice& choice,
                                                     const DeploymentPlaces& places);

// Where its configuration comes from, when a file or a folder is chosen, or FANFOLD_CONFIG is set.
[[nodiscard]] std::optional<ConfigSources> SourcesOf(const DeploymentChoice& choice,
                                                     const Environment& environment = {});

// A process of the stack runs: its run/NAME.pid names a live process whose command line fits NAME.
[[nodiscard]] bool StackIsRunning(const std::string& stack_dir);

// Could a process with that command line (arguments end in NUL) be the service of that name? Guards
// against a pid that was given to somebody else. Pure.
[[nodiscard]] bool CommandLineFits(std::string_view service, std::string_view command_line);

}  // namespace fanfold
