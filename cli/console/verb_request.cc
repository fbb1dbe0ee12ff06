#include "cli/console/verb_request.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "common/base/json_text.h"

namespace fanfold::console {
namespace {

constexpr std::string_view kProgram = "fanfold";

std::unexpected<VerbRefusal> Malformed(std::string why) {
  return std::unexpected(VerbRefusal{false, std::move(why)});
}

std::unexpected<VerbRefusal> NotForPages(std::string why) {
  return std::unexpected(VerbRefusal{true, std::move(why)});
}

// Of UTF-8, as JSON is.
std::size_t LettersIn(std::string_view text) {
  constexpr unsigned char kMask = 0xc0;
  constexpr unsigned char kFollows = 0x80;
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & kMask) != kFollows; }));
}

std::optional<std::vector<std::string>> ArgumentsIn(std::string_view body) {
  // The object, the list, and what is in it.
  if (!CheckJson(body, {.depth_max = 2, .values_max = kArgumentsMax + 2})) return std::nullopt;
  const auto json = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 1 || !json.contains("args")) return std::nullopt;
  const auto& args = json["args"];
  if (!args.is_array() || args.empty() || args.size() > kArgumentsMax) return std::nullopt;
  std::vector<std::string> arguments;
  for (const auto& arg : args) {
    if (!arg.is_string()) return std::nullopt;
    arguments.push_back(arg.get<std::string>());
    const std::string& text = arguments.back();
    if (LettersIn(text) > kArgumentLettersMax || text.find('\0') != std::string::npos)
      return std::nullopt;
  }
  return arguments;
}

// Why this verb is not for a page; empty when it is.
std::string WhyNotForPages(const Verb& verb) {
  if (const auto* status = std::get_if<StatusOptions>(&verb); status != nullptr && status->watch) {
    return "--watch goes on for ever: ask again";
  }
  const auto* rebuild = std::get_if<operations::RebuildOptions>(&verb);
  if (rebuild != nullptr && rebuild->step == operations::RebuildStep::kWhole && !rebuild->yes) {
    return "without --yes it would ask on a terminal: start, then promote";
  }
  const auto* doctor = std::get_if<DoctorOptions>(&verb);
  if (doctor != nullptr && doctor->fix && !doctor->yes) {
    return "without --yes it would ask on a terminal: look, then fix with --yes";
  }
  const bool is_for_pages =
      HoldsAnyOf<StatusOptions, WaitOptions, LaneListOptions, operations::LaneOrderOptions,
                 operations::VerifyOptions, operations::RepairOptions, operations::RebuildOptions,
                 ExplainOptions, EraseOptions, DoctorOptions, ParkedListOptions, ParkedShowOptions,
                 operations::ParkedReplayOptions, operations::ParkedDropOptions>(verb);
  return is_for_pages ? "" : "this verb is for a terminal";
}

}  // namespace

std::expected<VerbRequest, VerbRefusal> ParseVerbRequest(std::string_view body,
                                                         const std::string& who) {
  auto arguments = ArgumentsIn(body);
  if (!arguments) {
    return Malformed(fmt::format(
        R"(the body must be {{"args":["status"]}}, of 1 to {} texts of at most {} letters)",
        kArgumentsMax, kArgumentLettersMax));
  }
  std::vector<const char*> typed = {kProgram.data()};
  for (const std::string& argument : *arguments) typed.push_back(argument.c_str());
  auto command = ParseCommandLine(static_cast<int>(typed.size()), typed.data(), who);
  if (!command) return Malformed(std::move(command.error().text));
  const DeploymentChoice& choice = command->deployment;
  if (choice.config_file || choice.embedded_dir || !choice.flags.empty()) {
    return NotForPages("the deployment is this process's own: no --config, --dir or setting");
  }
  if (std::string why = WhyNotForPages(command->verb); !why.empty()) {
    return NotForPages(std::move(why));
  }
  command->json = true;
  return VerbRequest{*std::move(arguments), *std::move(command)};
}

}  // namespace fanfold::console
