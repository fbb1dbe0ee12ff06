#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command_line_verbs.h"

namespace fanfold {
namespace {

CLI::Option* AddProjections(CLI::App& verb, const std::shared_ptr<std::string>& projections) {
  return verb.add_option("PROJECTION", *projections, "following, fans or all")
      ->check([](const std::string& text) {
        return ParseProjections(text) ? std::string() : "not following, fans or all: " + text;
      });
}

void AddStep(CLI::App& rebuild, const std::string& name, const std::string& what, RebuildStep step,
             Verb& verb) {
  CLI::App* added = rebuild.add_subcommand(name, what);
  const auto projections = std::make_shared<std::string>("all");
  if (step != RebuildStep::kStatus) AddProjections(*added, projections)->capture_default_str();
  added->final_callback([projections, step, &verb] {
    RebuildOptions options;
    options.step = step;
    options.projections = ParseProjections(*projections).value_or(options.projections);
    verb = options;
  });
}

}  // namespace

void AddRebuild(CLI::App& app, Verb& verb) {
  CLI::App* rebuild = app.add_subcommand("rebuild", "Build tables anew from the topics, live");
  const auto projections = std::make_shared<std::string>();
  const auto yes = std::make_shared<bool>(false);
  AddProjections(*rebuild, projections);
  rebuild->add_flag("--yes", *yes, "Promote without asking");
  rebuild->require_subcommand(0, 1);
  rebuild->footer(
      "Makes the next generation of the tables beside the one that is read, loads it from the\n"
      "outcomes, lets the projectors fold the rest, verifies it against the topics and promotes\n"
      "it: readers follow within a second, and with following goes the decider's seat. Reads and\n"
      "writes go on. The generation before is folded on, so that a rollback is at once; retire\n"
      "drops it. A rebuild that was interrupted goes on where it was when it is called again.\n"
      "Exit 2: what was built is not what the topics say (it is not promoted). Exit 3: another\n"
      "one runs, or there is nothing to do it to.\n\n"
      "Examples:\n  fanfold rebuild fans --yes\n  fanfold rebuild start all && fanfold rebuild "
      "promote all\n  fanfold rebuild rollback following\n  fanfold rebuild retire all\n");
  AddStep(*rebuild, "start", "Make and load the next generation", RebuildStep::kStart, verb);
  AddStep(*rebuild, "status", "The generations there are", RebuildStep::kStatus, verb);
  AddStep(*rebuild, "verify", "The made generation against the topics", RebuildStep::kVerify, verb);
  AddStep(*rebuild, "promote", "Verify, then read it and let it decide", RebuildStep::kPromote,
          verb);
  AddStep(*rebuild, "rollback", "Read the generation before again", RebuildStep::kRollback, verb);
  AddStep(*rebuild, "retire", "Drop those before the one that is read", RebuildStep::kRetire, verb);
  AddStep(*rebuild, "cancel", "Drop those after the one that is read", RebuildStep::kCancel, verb);
  rebuild->final_callback([rebuild, projections, yes, &verb] {
    if (!rebuild->get_subcommands().empty()) return;
    if (projections->empty()) throw CLI::RequiredError("following, fans, all or a step");
    RebuildOptions options;
    options.step = RebuildStep::kWhole;
    options.projections = ParseProjections(*projections).value_or(options.projections);
    options.yes = *yes;
    verb = options;
  });
}

}  // namespace fanfold
