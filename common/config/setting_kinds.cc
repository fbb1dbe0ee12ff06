#include "common/config/setting_kinds.h"

#include <fmt/format.h>

#include "common/base/peers.h"

namespace fanfold::setting_kinds {

Setting Begin(About about, std::string wanted, ValueKind kind) {
  Setting setting;
  setting.key = std::move(about.key);
  setting.help = std::move(about.help);
  setting.takers = std::move(about.takers);
  setting.wanted = std::move(wanted);
  setting.kind = kind;
  return setting;
}

bool IsAny(std::string_view /*text*/) { return true; }
bool IsSome(std::string_view text) { return !text.empty(); }
bool IsAddress(std::string_view text) {
  return PeerAddress::Parse(text.substr(0, text.find('%'))).has_value();  // %eth0: of a link alone
}

Setting Text(About about, std::string wanted, IsText is_one, std::string Config::* member,
             ValueKind kind) {
  Setting setting = Begin(std::move(about), std::move(wanted), kind);
  setting.set = [=](const ConfigValue& value, Config& config) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || !is_one(*text)) return false;
    config.*member = *text;
    return true;
  };
  setting.get = [=](const Config& config) -> std::optional<ConfigValue> {
    const std::string& text = config.*member;
    if (text.empty() && !is_one(text)) return std::nullopt;
    return ConfigValue(text);
  };
  return setting;
}

Setting List(About about, std::string wanted, IsText is_one,
             std::vector<std::string> Config::* member) {
  Setting setting = Begin(std::move(about), std::move(wanted), ValueKind::kList);
  setting.set = [=](const ConfigValue& value, Config& config) {
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (list == nullptr || !std::ranges::all_of(*list, is_one)) return false;
    config.*member = *list;
    return true;
  };
  setting.get = [=](const Config& config) { return ConfigValue(config.*member); };
  return setting;
}

Setting Switch(About about, bool Config::* member) {
  Setting setting = Begin(std::move(about), "true or false", ValueKind::kSwitch);
  setting.set = [=](const ConfigValue& value, Config& config) {
    const auto* is_on = std::get_if<bool>(&value);
    if (is_on != nullptr) config.*member = *is_on;
    return is_on != nullptr;
  };
  setting.get = [=](const Config& config) { return ConfigValue(config.*member); };
  return setting;
}

std::string Within(std::string_view unit, std::int64_t lowest, std::int64_t highest) {
  return fmt::format("{}, {} … {}", unit, lowest, highest);
}

}  // namespace fanfold::setting_kinds
