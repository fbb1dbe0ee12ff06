#include "common/config/named_deployment.h"

#include <fmt/format.h>

namespace fanfold {

Result<std::optional<NamedDeployment>> DeploymentNamedBy(const std::vector<FlagValue>& flags,
                                                         const Environment& environment) {
  for (const FlagValue& flag : flags) {
    if (flag.setting->names) return NamedDeployment{*flag.setting->names, flag.setting->flag()};
  }
  std::optional<NamedDeployment> named;
  for (const Setting& setting : Settings()) {
    if (!setting.names || !VariableIn(environment, setting.variable())) continue;
    if (named && named->mode != *setting.names) {
      return Fail(
          ErrorCode::kRefused,
          fmt::format("{} and {} name two deployments: choose with --config FILE or --dir DIR",
                      named->by, setting.variable()));
    }
    if (!named) named = NamedDeployment{*setting.names, setting.variable()};
  }
  return named;
}

}  // namespace fanfold
