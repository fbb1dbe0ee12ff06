#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "cli/command_line_verbs.h"

namespace fanfold {
namespace {

void AddProjection(CLI::App& verb, std::optional<ProjectionKind>& target) {
  const std::map<std::string, ProjectionKind> kProjections = {
      {"following", ProjectionKind::kFollowing}, {"fans", ProjectionKind::kFans}};
  verb.add_option("--projection", target, "following or fans (default: all)")
      ->transform(CLI::CheckedTransformer(kProjections));
}

std::string WhyNoPosition(const std::string& text) {
  return ParsePosition(text) ? std::string() : "not a position like 3:1042: " + text;
}

void AddParkedList(CLI::App& parked, Verb& verb) {
  CLI::App* list = parked.add_subcommand("list", "The parked records");
  const auto options = std::make_shared<ParkedListOptions>();
  AddProjection(*list, options->projection);
  list->add_option("--limit", options->limit, "How many to show")
      ->check(CLI::Range(std::size_t{1}, ProjectionReader::kPageMax))
      ->capture_default_str();
  list->footer("Example:\n  fanfold parked list --projection following --limit 20\n");
  list->final_callback([options, &verb] { verb = *options; });
}

void AddParkedShow(CLI::App& parked, Verb& verb) {
  CLI::App* show = parked.add_subcommand("show", "One parked record and its bytes");
  const auto options = std::make_shared<ParkedShowOptions>();
  const auto position = std::make_shared<std::string>();
  show->add_option("POSITION", *position, "partition:offset, as `parked list` shows it")
      ->required()
      ->check(WhyNoPosition);
  AddProjection(*show, options->projection);
  show->footer("Example:\n  fanfold parked show 3:1042\n");
  show->final_callback([options, position, &verb] {
    options->position = ParsePosition(*position).value_or(Position());
    verb = *options;
  });
}

}  // namespace

void AddParked(CLI::App& app, Verb& verb) {
  CLI::App* parked = app.add_subcommand("parked", "Records that could not be decided or applied");
  parked->require_subcommand(1);
  parked->footer(
      "A record nobody can read is set aside with its position and reason; its bytes stay in\n"
      "the topic.\n\nExamples:\n  fanfold parked list\n  fanfold parked show 3:1042\n");
  AddParkedList(*parked, verb);
  AddParkedShow(*parked, verb);
}

}  // namespace fanfold
