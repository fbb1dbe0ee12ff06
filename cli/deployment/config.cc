#include "cli/deployment/config.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/deployment/shown_token.h"
#include "common/base/json_text.h"
#include "common/base/read_file.h"
#include "common/config/reference.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

bool IsEveryAddress(std::string_view address) { return address == "0.0.0.0" || address == "::"; }

struct AsJson {
  Json operator()(const OtherValue& /*value*/) const { return nullptr; }
  Json operator()(const auto& value) const { return value; }
};

void AddFilesOfVerbs(const Config& config, std::vector<Error>& wrong) {
  const auto add = [&wrong](std::string_view key, std::string_view why) {
    wrong.push_back({ErrorCode::kInvalidArgument, fmt::format("{}: {}", key, why)});
  };
  if (!config.token_file.empty()) {
    if (const auto token = ReadShownToken(config.token_file); !token) {
      add("token_file", token.error().message);
    }
  }
  if (config.ca_file.empty()) return;
  if (const auto read = ReadUpTo(config.ca_file, 0); !read) {
    add("ca_file", fmt::format("{} {}", config.ca_file, read.error()));
  }
}

bool IsTold(const Configured& configured, std::string_view key) {
  return std::ranges::any_of(configured.values, [key](const ConfiguredValue& one) {
    return one.setting->key == key && one.from != kFromDefault;
  });
}

// Services of one file may stand on machines of their own: what a service is not told of another
// says nothing, and equal ports of two are no mistake by themselves.
void AddPorts(const Configured& configured, std::vector<Error>& wrong, Console& console) {
  const Config& config = configured.config;
  const bool in_folder = config.mode == DeploymentMode::kFolder;
  std::vector<std::pair<std::string_view, std::uint16_t>> told;
  if (in_folder || IsTold(configured, "reader_port")) {
    told.emplace_back("reader_port", config.reader_port);
  }
  if (IsTold(configured, "writer_port")) told.emplace_back("writer_port", config.writer_port);
  if (told.size() == 2 && told[0].second == told[1].second && told[0].second != 0) {
    console.Say(
        fmt::format("reader_port and writer_port are both {}: each wants a machine, or an "
                    "address, of its own",
                    told[0].second));
  }
  const bool apart = config.bind != config.operations_bind && !IsEveryAddress(config.bind) &&
                     !IsEveryAddress(config.operations_bind);
  for (const auto& [key, port] : told) {
    if (apart || port == 0 || port != config.operations_port) continue;
    wrong.push_back(
        {ErrorCode::kInvalidArgument,
         fmt::format("operations_port must be another than {}: both are {}", key, port)});
  }
}

}  // namespace

ExitCode RunConfigCheck(const Configured& configured, std::vector<Error> wrong,
                        const std::vector<std::string>& warnings, bool json, Console& console) {
  AddFilesOfVerbs(configured.config, wrong);
  AddPorts(configured, wrong, console);
  for (const std::string& line : warnings) console.Say("warning: " + line);
  if (!wrong.empty()) {
    for (const Error& error : wrong) console.SayError(error);
    return ExitCodeOf(wrong.front().code);
  }
  const auto told = std::ranges::count_if(
      configured.values, [](const ConfiguredValue& one) { return one.from != kFromDefault; });
  if (json) {
    console.PrintLine(OneLine(Json{{"ok", true}, {"settings_told", told}, {"warnings", warnings}}));
  } else {
    const auto left = std::ssize(configured.values) - told;
    console.PrintLine(
        fmt::format("{}: {} set, {}", warnings.empty() ? "fine" : "usable, with warnings",
                    told == 1 ? "1 setting is" : fmt::format("{} settings are", told),
                    left == 1 ? "1 has its default" : fmt::format("{} have their defaults", left)));
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
