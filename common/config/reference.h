// The configuration as text, for people.
#pragma once

#include <span>
#include <string>

#include "common/config/load.h"

namespace fanfold {

// A file of TOML that says the same, each line with where its value came from; what is not set is a
// comment.
[[nodiscard]] std::string ConfigAsToml(std::span<const ConfiguredValue> values);

// The page docs/CONFIGURATION.md: each setting, what it is, its default, its names.
[[nodiscard]] std::string ConfigurationPage();

}  // namespace fanfold
