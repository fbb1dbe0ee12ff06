#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line/command_line_verbs.h"
#include "common/base/nearest.h"

namespace fanfold {

std::string WhyNoVerb(const CLI::App& app) {
  const CLI::App* asked = &app;
  while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().back();
  const std::vector<std::string> words = app.remaining(true);
  const auto word = std::ranges::find_if(words, [](const std::string& w) { return w[0] != '-'; });
  if (word == words.end()) return {};
  const auto verbs =
      asked->get_subcommands([](const CLI::App* verb) { return !verb->get_name().empty(); });
  if (verbs.empty()) return {};
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
  const std::string command = asked == &app ? "fanfold" : "fanfold " + asked->get_name();
  return fmt::format(
      "{} knows no verb {}; the nearest is `{} {}`\nRun with --help for more information.", command,
      *word, command, NearestOf(*word, names));
}

}  // namespace fanfold
