// Which deployment a command means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/config.h"
#include "common/base/result.h"

namespace fanfold {

// What the command line says. At most one is set.
struct DeploymentChoice {
  std::optional<std::string> config_file;
  std::optional<std::string> embedded_dir;
};

// Where to look when it says nothing.
struct DeploymentPlaces {
  std::string stack_dir = "./var/stack";
  std::string embedded_dir = "./var/fanfold";
};

struct EmbeddedFolder {
  std::string path;
};
using FoundDeployment = std::variant<Config, EmbeddedFolder>;

// Errors: kInvalidArgument, the file is wrong, or nothing is named and nothing runs; kRefused, both
// run.
[[nodiscard]] Result<FoundDeployment> FindDeployment(const DeploymentChoice& choice,
                                                     const DeploymentPlaces& places);

// A process of the stack runs: its run/NAME.pid names a live process whose command line fits NAME.
[[nodiscard]] bool StackIsRunning(const std::string& stack_dir);

// Could a process with that command line (arguments end in NUL) be the service of that name? Guards
// against a pid that was given to somebody else. Pure.
[[nodiscard]] bool CommandLineFits(std::string_view service, std::string_view command_line);

}  // namespace fanfold
