// A configuration file as its keys and values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/config/config_value.h"

namespace fanfold {

struct ConfigEntry {
  std::string key;  // of a table in a table: joined with dots
  ConfigValue value;
  int line = 0;  // 0: not known
};

struct ConfigText {
  std::vector<ConfigEntry> entries;
  bool is_json = false;  // as releases up to 0.1 had it
};

// The largest file that is read.
inline constexpr std::size_t kConfigBytesMax = 1 << 20;

// TOML, or JSON where it begins with a brace. Errors: kInvalidArgument, with the line where it is
// known.
[[nodiscard]] Result<ConfigText> ParseConfigText(std::string_view text);

}  // namespace fanfold
