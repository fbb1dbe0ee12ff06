#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "cli/command_line/audit_line.h"
#include "cli/command_line/command_line_verbs.h"

namespace fanfold {
namespace {

// What the line says.
struct LaneLine {
  std::string target;
  operations::LaneOrderOptions order;
};

CLI::Option* AddLaneTarget(CLI::App& verb, std::string& target) {
  return verb
      .add_option("LANES", target, "One of " + NamesOfProjections() + ", or a partition: fans/3")
      ->check([](const std::string& text) {
        return ParseLaneTarget(text) ? std::string()
                                     : "not lanes like fans or following/3: " + text;
      });
}

CLI::App* AddLaneOrder(CLI::App& lane, const std::string& name, const std::string& what,
                       operations::LaneOrder order, const std::shared_ptr<LaneLine>& line,
                       Verb& verb) {
  CLI::App* added = lane.add_subcommand(name, what);
  AddLaneTarget(*added, line->target)->required();
  added
      ->add_option_function<std::int32_t>(
          "--generation", [line](std::int32_t g) { line->order.generation = Generation(g); },
          "Of this generation (default: the one that is read)")
      ->check(CheckAboveZero);
  added->final_callback([line, order, &verb] {
    line->order.order = order;
    line->order.target = ParseLaneTarget(line->target).value_or(operations::LaneTarget());
    verb = line->order;
  });
  return added;
}

}  // namespace

void AddLane(CLI::App& app, Verb& verb, const std::optional<std::string>& who) {
  CLI::App* lane = app.add_subcommand("lane", "Look at lanes, stop them, let them go on");
  lane->require_subcommand(1);
  lane->footer(
      "A lane is one projection's work on one partition and shard. One that is paused or halted\n"
      "folds nothing, through restarts, until it is resumed; writes are taken meanwhile.\n\n"
      "Examples:\n  fanfold lane list\n  fanfold lane pause fans/3 --reason 'moving the disk'\n"
      "  fanfold lane resume fans\n  fanfold lane rewind following/3 --to 0\n");
  CLI::App* list = lane->add_subcommand("list", "Each lane, and what to do about those that stand");
  const auto line = std::make_shared<LaneLine>();
  AddLaneTarget(*list, line->target);
  list->footer("Example:\n  fanfold lane list fans\n");
  list->final_callback([line, &verb] { verb = LaneListOptions{ParseLaneTarget(line->target)}; });
  line->order.reason = "by " + (who ? *who : CallingUser());
  AddLaneOrder(*lane, "pause", "Stop lanes until they are resumed", operations::LaneOrder::kPause,
               line, verb)
      ->footer("Example:\n  fanfold lane pause fans/3 --reason 'moving the disk'\n")
      ->add_option("--reason", line->order.reason, "Kept with the lane, for whoever looks")
      ->capture_default_str();
  AddLaneOrder(*lane, "resume", "Let paused or halted lanes go on where they stand",
               operations::LaneOrder::kResume, line, verb)
      ->footer(
          "A lane whose halt has not been mended halts again.\n\n"
          "Example:\n  fanfold lane resume following/3\n");
  AddLaneOrder(*lane, "rewind", "Fold events again from an offset on",
               operations::LaneOrder::kRewind, line, verb)
      ->footer(
          "Rows that hold newer events stay, so that on sound tables nothing changes.\n\n"
          "Example:\n  fanfold lane rewind following/3 --to 0\n")
      ->add_option_function<std::int64_t>(
          "--to", [line](std::int64_t offset) { line->order.to = Offset(offset); },
          "The event's offset in its partition; 0: from the first on")
      ->required()
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace fanfold
