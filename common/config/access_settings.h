// Checks the settings of access: who gets in, by which tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/config/setting.h"

namespace fanfold {

[[nodiscard]] std::vector<Setting> AccessSettings();

// Says which setting is missing, or which do not go together; nothing when all do.
[[nodiscard]] std::optional<std::string> WhyNotAccess(const Config& config);

}  // namespace fanfold
