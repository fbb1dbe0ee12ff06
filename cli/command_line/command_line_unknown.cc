#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line/command_line_verbs.h"

namespace fanfold {
namespace {

// How many letters have to be put in, taken out or changed to make one of the other.
std::size_t Distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string WhyNoVerb(const CLI::App& app) {
  const CLI::App* asked = &app;
  while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().back();
  const std::vector<std::string> words = app.remaining(true);
  const auto word = std::ranges::find_if(words, [](const std::string& w) { return w[0] != '-'; });
  if (word == words.end()) return {};
  const auto verbs =
      asked->get_subcommands([](const CLI::App* verb) { return !verb->get_name().empty(); });
  const auto nearest = std::ranges::min_element(
      verbs, {}, [&](const CLI::App* verb) { return Distance(*word, verb->get_name()); });
  if (nearest == verbs.end()) return {};
  const std::string command = asked == &app ? "fanfold" : "fanfold " + asked->get_name();
  return fmt::format(
      "{} knows no verb {}; the nearest is `{} {}`\nRun with --help for more information.", command,
      *word, command, (*nearest)->get_name());
}

}  // namespace fanfold
