// Who gets in, and by what he is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/config/setting.h"

namespace fanfold {

[[nodiscard]] std::vector<Setting> AccessSettings();

// What is missing, or does not go together; nothing when all does.
[[nodiscard]] std::optional<std::string> WhyNotAccess(const Config& config);

}  // namespace fanfold
