// A value as a configuration file, a variable or a flag has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fanfold {

// Neither true or false, nor a whole number, nor text, nor a list of texts.
struct OtherValue {
  friend bool operator==(const OtherValue&, const OtherValue&) = default;
};
using ConfigValue =
    std::variant<OtherValue, bool, std::int64_t, std::string, std::vector<std::string>>;

enum class ValueKind : std::uint8_t { kSwitch, kNumber, kText, kPath, kList };

// Parses the text of a variable or a flag: a list is joined with commas, and spaces round them.
[[nodiscard]] ConfigValue ParseConfigValue(std::string_view text, ValueKind kind);

// As TOML has it.
[[nodiscard]] std::string TomlOf(const ConfigValue& value);

}  // namespace fanfold
