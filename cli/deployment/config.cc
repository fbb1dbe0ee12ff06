#include "cli/deployment/config.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/json_text.h"
#include "common/config/reference.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

struct AsJson {
  Json operator()(const OtherValue& /*value*/) const { return nullptr; }
  Json operator()(const auto& value) const { return value; }
};

}  // namespace

ExitCode RunConfigCheck(const Configured& configured, const Status& usable, bool json,
                        Console& console) {
  if (!usable) return console.SayError(usable.error());
  const auto told = std::ranges::count_if(
      configured.values, [](const ConfiguredValue& one) { return one.from != kFromDefault; });
  if (json) {
    console.PrintLine(OneLine(Json{{"ok", true}, {"settings_told", told}}));
  } else {
    console.PrintLine(fmt::format("fine: {} settings are told, {} are as they are by default", told,
                                  configured.values.size() - static_cast<std::size_t>(told)));
  }
  console.Flush();
  return ExitCode::kFine;
}

ExitCode RunConfigPrint(const Configured& configured, bool json, Console& console) {
  if (json) {
    Json settings = Json::array();
    for (const auto& [setting, value, from] : configured.values) {
      settings.push_back({{"key", setting->key},
                          {"value", value ? std::visit(AsJson(), *value) : Json()},
                          {"from", from}});
    }
    console.PrintLine(OneLine(Json{{"settings", std::move(settings)}}));
  } else {
    console.Print(ConfigAsToml(configured.values));
  }
  console.Flush();
  return ExitCode::kFine;
}

ExitCode RunConfigReference(Console& console) {
  console.Print(ConfigurationPage());
  console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
