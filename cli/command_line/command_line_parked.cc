#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line/command_line_choice.h"
#include "cli/command_line/command_line_verbs.h"

namespace fanfold {
namespace {

void AddProjection(CLI::App& verb, std::optional<Projection>& target) {
  std::map<std::string, Projection> choices;
  for (const Projection one : Projection::All()) choices.emplace(one.name(), one);
  AddChoice(verb, "--projection", target, choices, "Of this one (default: all)");
}

std::string WhyNoPosition(const std::string& text) {
  return ParsePosition(text) ? std::string() : "not a position like 3:1042: " + text;
}

std::string WhyNoReason(const std::string& text) {
  return ParseParkReason(text) ? std::string()
                               : "not a reason for which records are parked: " + text;
}

void AddParkedList(CLI::App& parked, Verb& verb) {
  CLI::App* list = parked.add_subcommand("list", "The parked records");
  const auto options = std::make_shared<ParkedListOptions>();
  const auto reason = std::make_shared<std::string>();
  AddProjection(*list, options->projection);
  list->add_option("--reason", *reason, "Those parked for it (default: for any but `erased`)")
      ->check(WhyNoReason);
  list->add_option("--limit", options->limit, "How many to show")
      ->check(CLI::Range(std::size_t{1}, ProjectionReader::kPageMax))
      ->capture_default_str();
  list->footer("Example:\n  fanfold parked list --projection following --limit 20\n");
  list->final_callback([options, reason, &verb] {
    options->reason = ParseParkReason(*reason);
    verb = *options;
  });
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

// Which parked records a verb is about, and the rest of its options.
template <class Options>
struct Told {
  Options options;
  std::vector<std::string> positions;
  std::string reason;
  bool all = false;

  Options Meant() {
    for (const std::string& position : positions) {
      options.positions.push_back(ParsePosition(position).value_or(Position()));
    }
    options.reason = ParseParkReason(reason);
    return options;
  }
};

template <class Options>
void AddWhich(CLI::App& verb, Told<Options>& told) {
  CLI::Option_group* which = verb.add_option_group("Which");
  which->add_option("POSITION", told.positions, "partition:offset, as `parked list` shows it")
      ->check(WhyNoPosition);
  which->add_flag("--all", told.all, "Every parked record");
  which->add_option("--reason", told.reason, "Every record that was parked for it")
      ->check(WhyNoReason);
  which->require_option(1);
}

void AddParkedReplay(CLI::App& parked, Verb& verb) {
  CLI::App* replay = parked.add_subcommand("replay", "Append parked records again, as new events");
  const auto told = std::make_shared<Told<operations::ParkedReplayOptions>>();
  AddWhich(*replay, *told);
  AddProjection(*replay, told->options.projection);
  replay->add_flag("--dry-run", told->options.dry_run, "Say what would be done, append nothing");
  replay->footer(
      "For records that this build can read, or whose key or partition alone was wrong. Each\n"
      "becomes a new event of its subject, with the time it was meant for; the record and its\n"
      "row stay. Refused, with the position that stands in the way, when the edge has a later\n"
      "event, which the replay would undo, or when it was replayed before; so running it again\n"
      "is safe. The partition's tail is looked at right before each append. An event that comes\n"
      "in between all the same makes the replay `superseded` if it changes the edge; one that\n"
      "changes nothing (a follow of who is followed already) goes unnoticed, and the replay has\n"
      "the last word. Where that matters, let nobody write about the edge meanwhile.\n"
      "Exit 1: one cannot be read or appended; 3: one was refused.\n\n"
      "Examples:\n  fanfold parked replay 3:1042\n"
      "  fanfold parked replay --reason wrong_partition --dry-run\n");
  replay->final_callback([told, &verb] { verb = told->Meant(); });
}

void AddParkedDrop(CLI::App& parked, Verb& verb) {
  CLI::App* drop = parked.add_subcommand("drop", "Forget parked records");
  const auto told = std::make_shared<Told<operations::ParkedDropOptions>>();
  AddWhich(*drop, *told);
  AddProjection(*drop, told->options.projection);
  drop->footer(
      "For those that were replayed, or that nobody wants. Their bytes stay in the topic, and\n"
      "what was decided about them stays decided.\n\n"
      "Examples:\n  fanfold parked drop 3:1042 3:1050\n"
      "  fanfold parked drop --reason malformed\n");
  drop->final_callback([told, &verb] { verb = told->Meant(); });
}

}  // namespace

void AddParked(CLI::App& app, Verb& verb) {
  CLI::App* parked = app.add_subcommand("parked", "Records that could not be decided or applied");
  parked->require_subcommand(1);
  parked->footer(
      "A record nobody can read is set aside with its position and reason; its bytes stay in\n"
      "the topic.\n\nExamples:\n  fanfold parked list\n  fanfold parked show 3:1042\n"
      "  fanfold parked replay --all --dry-run\n");
  AddParkedList(*parked, verb);
  AddParkedShow(*parked, verb);
  AddParkedReplay(*parked, verb);
  AddParkedDrop(*parked, verb);
}

}  // namespace fanfold
