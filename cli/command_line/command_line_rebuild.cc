#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "cli/command_line/command_line_verbs.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

CLI::Option* AddProjections(CLI::App& verb, std::string& projections) {
  const std::string choice = NamesOfProjections() + " or all";
  return verb.add_option("PROJECTION", projections, choice)
      ->check([choice](const std::string& text) {
        return ParseProjections(text) ? std::string() : "not " + choice + ": " + text;
      });
}

void AddUntil(CLI::App& verb, std::string& until) {
  verb.add_option("--until", until, "As of this moment of the log's own time: a side generation")
      ->type_name("TIME")
      ->check([](const std::string& text) {
        return operations::ParseTime(text)
                   ? std::string()
                   : "not a time as 2026-11-21T04:00:00Z, nor ms since 1970: " + text;
      });
}

void AddRate(CLI::App& verb, std::int64_t& rows_per_second) {
  verb.add_option("--rate", rows_per_second,
                  "Read and write at most so many rows a second (default: as fast as it goes)")
      ->check(CheckAboveZero);
}

// What the line of one step says.
struct StepLine {
  std::string projections = "all";
  std::string until;
  std::int64_t rows_per_second = 0;
  std::int32_t generation = 0;
};

operations::RebuildOptions OptionsOf(operations::RebuildStep step, const StepLine& line) {
  operations::RebuildOptions options;
  options.step = step;
  options.projections = ParseProjections(line.projections).value_or(options.projections);
  options.until_ms = operations::ParseTime(line.until);
  options.rows_per_second = line.rows_per_second;
  if (line.generation > 0) options.generation = Generation(line.generation);
  return options;
}

void AddStep(CLI::App& rebuild, const std::string& name, const std::string& what,
             const std::string& example, operations::RebuildStep step, Verb& verb) {
  CLI::App* added = rebuild.add_subcommand(name, what);
  added->footer("Example:\n  fanfold rebuild " + name + example + "\n");
  const auto line = std::make_shared<StepLine>();
  if (step != operations::RebuildStep::kStatus) {
    AddProjections(*added, line->projections)->capture_default_str();
  }
  if (step == operations::RebuildStep::kStart) AddUntil(*added, line->until);
  const bool scans = step == operations::RebuildStep::kStart ||
                     step == operations::RebuildStep::kVerify ||
                     step == operations::RebuildStep::kPromote;
  if (scans) AddRate(*added, line->rows_per_second);
  const bool takes_one = step == operations::RebuildStep::kVerify ||
                         step == operations::RebuildStep::kRollback ||
                         step == operations::RebuildStep::kCancel;
  if (takes_one) {
    added->add_option("--generation", line->generation, "This one, and no other")
        ->check(CheckAboveZero);
  }
  added->final_callback([line, step, &verb] { verb = OptionsOf(step, *line); });
}

}  // namespace

void AddRebuild(CLI::App& app, Verb& verb) {
  CLI::App* rebuild = app.add_subcommand("rebuild", "Build tables anew from the topics, live");
  const auto line = std::make_shared<StepLine>(
      StepLine{.projections = "", .until = "", .rows_per_second = 0, .generation = 0});
  const auto yes = std::make_shared<bool>(false);
  AddProjections(*rebuild, line->projections);
  rebuild->add_flag("--yes", *yes, "Promote without asking");
  AddUntil(*rebuild, line->until);
  AddRate(*rebuild, line->rows_per_second);
  rebuild->require_subcommand(0, 1);
  rebuild->footer(
      "Makes the next generation of the tables beside the one that is read, loads it from the\n"
      "outcomes, lets the projectors fold the rest, verifies it against the topics and promotes\n"
      "it: readers follow within a second, and with following goes who decides. Reads and\n"
      "writes go on. The generation before is folded on, so that a rollback is at once; retire\n"
      "drops it, once readers have left it, which takes seconds. A rebuild that was interrupted\n"
      "goes on where it was when it is called again.\n"
      "With --until the tables are built as they were then, and stay so; only who asks the reader\n"
      "for them reads them (GET /v1/users/7/fans?generation=3); cancel drops them.\n"
      "promote and rollback wait until the generation has folded what is read now.\n"
      "Exit 2: what was built is not what the topics say (it is not promoted), or lanes were not\n"
      "there in time (they go on by themselves). Exit 3: another one runs, a lane stands still,\n"
      "there is nothing to do it to, or the log held no event yet at --until. Call it again when\n"
      "that is mended: it goes on where it was.\n\n"
      "Examples:\n  fanfold rebuild fans --yes\n  fanfold rebuild fans --yes --rate 50000\n"
      "  fanfold rebuild start all && fanfold rebuild promote all\n"
      "  fanfold rebuild rollback following\n  fanfold rebuild retire all\n"
      "  fanfold rebuild all --until $(date -u -d '1 hour ago' +%FT%TZ)\n"
      "  fanfold rebuild cancel all --generation 3\n");
  using enum operations::RebuildStep;
  AddStep(*rebuild, "start", "Make and load the next generation", " fans --rate 50000", kStart,
          verb);
  AddStep(*rebuild, "status", "The generations there are", " --json", kStatus, verb);
  AddStep(*rebuild, "verify", "The made generation against the topics", " fans --generation 2",
          kVerify, verb);
  AddStep(*rebuild, "promote", "Verify, then read it and let it decide", " all", kPromote, verb);
  AddStep(*rebuild, "rollback", "Read the generation before again, or one", " following", kRollback,
          verb);
  AddStep(*rebuild, "retire", "Drop those before the one that is read", " all", kRetire, verb);
  AddStep(*rebuild, "cancel", "Drop those after the one that is read, or one",
          " all --generation 3", kCancel, verb);
  rebuild->final_callback([rebuild, line, yes, &verb] {
    if (!rebuild->get_subcommands().empty()) return;
    if (line->projections.empty())
      throw CLI::RequiredError(NamesOfProjections() + ", all or a step");
    operations::RebuildOptions options = OptionsOf(operations::RebuildStep::kWhole, *line);
    options.yes = *yes;
    verb = options;
  });
}

}  // namespace fanfold
