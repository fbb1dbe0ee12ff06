#include "common/config/setting.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "common/base/nearest.h"

namespace fanfold {

std::string Setting::variable() const {
  std::string name = "FANFOLD_";
  for (const char c : key) {
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string Setting::flag() const {
  std::string name = "--" + key;
  std::ranges::replace_if(name, [](char c) { return c == '.' || c == '_'; }, '-');
  return name;
}

bool Setting::TakenBy(Program program) const { return std::ranges::count(takers, program) != 0; }

// One process does in a folder what several do on servers.
bool Setting::IsOf(DeploymentMode mode) const {
  if (takers.empty() || takers == std::vector{Program::kVerbs}) return true;
  switch (mode) {
    case DeploymentMode::kFolder:
      return TakenBy(Program::kServe);
    case DeploymentMode::kServers:
      return std::ranges::any_of(takers, [](Program taker) { return taker != Program::kServe; });
  }
  return false;
}

const Setting* FindSetting(std::string_view key) {
  const auto settings = Settings();
  const auto found = std::ranges::find(settings, key, &Setting::key);
  return found == settings.end() ? nullptr : &*found;
}

std::string NoSuchKey(std::string_view key) {
  std::vector<std::string> keys;
  for (const Setting& setting : Settings()) keys.push_back(setting.key);
  return fmt::format("{} is not a known key; the nearest is {}", key, NearestOf(key, keys));
}

Config DefaultsOf(DeploymentMode mode) {
  Config config;
  config.mode = mode;
  // Beside everything else, in the same process.
  constexpr std::size_t kCacheMibOfAFolder = 256;
  if (mode == DeploymentMode::kServers) return config;
  config.cache_mib = kCacheMibOfAFolder;
  config.log_level = LogLevel::kWarning;
  return config;
}

}  // namespace fanfold
