#include "common/config/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/nearest.h"

namespace fanfold {
namespace {

// Shorter, where the program says which is meant.
struct Short {
  Program program;
  std::string_view key;
  std::string_view flag;
};
constexpr Short kShorts[] = {
    {Program::kWriter, "writer_port", "--port"},
    {Program::kProjector, "projector_port", "--port"},
    {Program::kReader, "reader_port", "--port"},
    {Program::kServe, "reader_port", "--port"},
    {Program::kReader, "reader_threads", "--threads"},
    {Program::kReader, "reader_io_threads", "--io-threads"},
};

std::string NamesOf(const Setting& setting, Program program) {
  std::string names = setting.flag();
  for (const Short& one : kShorts) {
    if (one.program == program && one.key == setting.key) names += "," + std::string(one.flag);
  }
  return names;
}

// Its own, and those that it takes of the command it is a verb of.
std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* of = &command; of != nullptr; of = of->get_parent()) {
    for (const CLI::Option* option : of->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

// Of one letter: the first that begins with it. Empty: all differ in more than half of the letters.
std::string NearestOption(const CLI::App& command, std::string_view word) {
  const std::vector<std::string> names = OptionsOf(command);
  const auto begins = std::ranges::find_if(names, [&](std::string_view name) {
    return word.size() == 2 && name.substr(2).starts_with(word.substr(1));
  });
  if (begins != names.end()) return *begins;
  const std::string_view nearest = NearestOf(word, names);
  return 2 * LettersBetween(word, nearest) > word.size() ? "" : std::string(nearest);
}

}  // namespace

const CLI::App& CommandIn(const CLI::App& app) {
  const CLI::App* asked = &app;
  while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().back();
  return *asked;
}

std::string NameOf(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : NameOf(*parent) + " " + command.get_name();
}

std::string WhyNoOption(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const auto word = std::ranges::find_if(
      words, [](const std::string& w) { return w.size() > 1 && w[0] == '-' && w != "--"; });
  if (word == words.end()) return {};
  const CLI::App& asked = CommandIn(app);
  const std::string_view named = std::string_view(*word).substr(0, word->find('='));
  const std::string nearest = NearestOption(asked, named);
  return fmt::format("{} knows no option {}{}\n{}", NameOf(asked), named,
                     nearest.empty() ? "" : "; the nearest is " + nearest, kRunHelp);
}

std::string WhyNoPath(const std::string& path) { return path.empty() ? "an empty path" : ""; }

void AddConfigFlags(CLI::App& app, Program program, ConfigSources& sources) {
  // CLI11's own says which word was not expected, and no more.
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    const std::string unknown = is_extra ? WhyNoOption(*failed) : std::string();
    return unknown.empty() ? CLI::FailureMessage::simple(failed, error) : unknown + "\n";
  });
  app.add_option("--config", sources.file, "The configuration: a file of TOML")
      ->envname("FANFOLD_CONFIG")
      ->check(WhyNoPath);
  AddSettingFlags(app, program, "Settings, over environment and file (docs/CONFIGURATION.md)",
                  sources.flags);
}

void AddSettingFlags(CLI::App& app, Program program, const char* part,
                     std::vector<FlagValue>& given) {
  for (const Setting& setting : Settings()) {
    if (!setting.TakenBy(program)) continue;
    app.add_option_function<std::string>(
           NamesOf(setting, program),
           [&setting, &given](const std::string& text) { given.push_back({&setting, text}); },
           setting.help + " (" + setting.wanted + ")")
        ->group(part)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

}  // namespace fanfold
