#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line/command_line_verbs.h"
#include "common/base/nearest.h"
#include "common/config/flags.h"

namespace fanfold {
namespace {

std::vector<std::string> VerbsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_name().empty()) names.push_back(verb->get_name());
  }
  return names;
}

std::string NoSuchVerb(const CLI::App& command, std::string_view word) {
  const std::vector<std::string> verbs = VerbsOf(command);
  if (verbs.empty()) return {};
  const std::string name = NameOf(command);
  return fmt::format("{} knows no verb {}; the nearest is `{} {}`\n{}", name, word, name,
                     NearestOf(word, verbs), kRunHelp);
}

}  // namespace

std::string WhyUnknownVerb(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const auto word = std::ranges::find_if(words, [](const std::string& w) { return w[0] != '-'; });
  return word == words.end() ? std::string() : NoSuchVerb(CommandIn(app), *word);
}

std::string WhyNoVerb(const CLI::App& app) {
  std::string unknown = WhyUnknownVerb(app);
  const CLI::App& asked = CommandIn(app);
  if (!unknown.empty() || asked.get_require_subcommand_min() == 0) return unknown;
  return fmt::format("{0} wants a verb: `{0} --help` names them", NameOf(asked));
}

std::string WhyNoHelp(const CLI::App& app, const std::vector<std::string>& verbs) {
  const CLI::App* asked = &app;
  for (const std::string& verb : verbs) {
    if (verb[0] == '-') continue;
    const auto named =
        asked->get_subcommands([&verb](const CLI::App* one) { return one->get_name() == verb; });
    if (named.empty()) return NoSuchVerb(*asked, verb);
    asked = named.front();
  }
  return {};
}

}  // namespace fanfold
