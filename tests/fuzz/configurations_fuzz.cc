// Configuration files, TOML and JSON: what settings take is shown as TOML that says the same.
#include <optional>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/config/config_file.h"
#include "common/config/load.h"
#include "common/config/reference.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

// As `fanfold config print` does.
std::string Shown(const Config& config) {
  std::vector<ConfiguredValue> values;
  for (const Setting& setting : Settings()) {
    values.push_back({&setting, setting.get(config), "FILE"});
  }
  return ConfigAsToml(values);
}

// What the settings take; nothing where they take nothing. Names that nobody knows are answered
// with a near one.
std::optional<Config> Taken(const ConfigText& text) {
  Config config;
  bool took = false;
  for (const ConfigEntry& entry : text.entries) {
    const Setting* setting = FindSetting(entry.key);
    if (setting == nullptr) {
      FANFOLD_CHECK(!NoSuchKey(entry.key).empty(), entry.key);
    } else {
      took = setting->set(entry.value, config) || took;
    }
  }
  return took ? std::optional(config) : std::nullopt;
}

}  // namespace

const FuzzTarget kConfigurations("configurations", [](std::string_view input) {
  const Result<ConfigText> text = ParseConfigText(input);
  if (!text) return;
  const std::optional<Config> taken = Taken(*text);
  if (!taken) return;
  const std::string shown = Shown(*taken);
  const Result<ConfigText> again = ParseConfigText(shown);
  FANFOLD_CHECK(again, shown);
  FANFOLD_CHECK(Shown(Taken(*again).value()) == shown, shown);
});

}  // namespace fanfold
