// How settings of each kind are set and shown. Internal to common/config.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/enum_names.h"
#include "common/config/setting.h"

namespace fanfold::setting_kinds {

using Takers = std::vector<Program>;

struct About {
  std::string key;
  std::string help;
  Takers takers;
};

inline const Takers kServing = {Program::kWriter, Program::kProjector, Program::kReader,
                                Program::kServe};

// Begins a setting that nobody can set yet.
[[nodiscard]] Setting Begin(About about, std::string wanted, ValueKind kind);

using IsText = bool (*)(std::string_view);
[[nodiscard]] bool IsAny(std::string_view text);
[[nodiscard]] bool IsSome(std::string_view text);
[[nodiscard]] bool IsAddress(std::string_view text);  // of IPv4 or IPv6

[[nodiscard]] Setting Text(About about, std::string wanted, IsText is_one,
                           std::string Config::* member, ValueKind kind = ValueKind::kText);

[[nodiscard]] Setting List(About about, std::string wanted, IsText is_one,
                           std::vector<std::string> Config::* member);

[[nodiscard]] Setting Switch(About about, bool Config::* member);

// "a port, 0 … 65535"
[[nodiscard]] std::string Within(std::string_view unit, std::int64_t lowest, std::int64_t highest);

template <class Integer>
Setting Number(About about, std::string_view unit, std::int64_t lowest, Integer Config::* member,
               std::int64_t highest = std::int64_t{std::numeric_limits<std::int64_t>::max()}) {
  highest = static_cast<std::int64_t>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(highest),
                              static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())));
  Setting setting = Begin(std::move(about), Within(unit, lowest, highest), ValueKind::kNumber);
  setting.set = [=](const ConfigValue& value, Config& config) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < lowest || *number > highest) return false;
    config.*member = static_cast<Integer>(*number);
    return true;
  };
  setting.get = [=](const Config& config) {
    return ConfigValue(static_cast<std::int64_t>(config.*member));
  };
  return setting;
}

template <class Enum, std::size_t N>
Setting Choice(About about, std::string wanted, const Names<Enum, N>& names,
               Enum Config::* member) {
  Setting setting = Begin(std::move(about), std::move(wanted), ValueKind::kText);
  setting.set = [=](const ConfigValue& value, Config& config) {
    const auto* text = std::get_if<std::string>(&value);
    const std::optional<Enum> found = text == nullptr ? std::nullopt : ValueOf(names, *text);
    if (found) config.*member = *found;
    return found.has_value();
  };
  setting.get = [=](const Config& config) {
    return ConfigValue(std::string(NameOf(names, config.*member)));
  };
  return setting;
}

}  // namespace fanfold::setting_kinds
