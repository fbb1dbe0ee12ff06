// Finds the deployment that settings name where no file does.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/config/load.h"

namespace fanfold {

struct NamedDeployment {
  DeploymentMode mode = DeploymentMode::kServers;
  std::string by;  // the first flag, else variable, that says so
};

// The deployment that flags name, else variables; nothing where neither does. Errors: kRefused,
// variables name two, of different modes.
[[nodiscard]] Result<std::optional<NamedDeployment>> DeploymentNamedBy(
    const std::vector<FlagValue>& flags, const Environment& environment);

}  // namespace fanfold
