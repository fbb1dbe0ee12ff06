#include "cli/rebuild.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include "cli/display.h"
#include "cli/generations.h"
#include "cli/rebuild_steps.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

ExitCode SayFailure(Session& session, const Error& error) {
  const ExitCode code = session.console.SayError(error);
  if (session.interrupt.WaitFor(0)) return ExitCode::kError;
  return error.code == ErrorCode::kTimeout ? ExitCode::kDifferent : code;
}

bool MayPromote(Session& session, const RebuildOptions& options, Projection projection,
                Generation generation) {
  if (options.yes) return true;
  if (isatty(STDIN_FILENO) == 0) {
    session.console.Say(fmt::format("not promoted without --yes: `fanfold rebuild promote {}`",
                                    ToString(projection)));
    return false;
  }
  session.console.Say(fmt::format("Read {} from now on? [y/N]", NameOf(projection, generation)));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

ExitCode VerifyStep(Session& session, RebuildSteps& steps, Generation generation) {
  const Result<VerifyReport> report = steps.Verify(generation);
  if (!report) return SayFailure(session, report.error());
  steps.SayVerified(generation, *report);
  return report->found == 0 ? ExitCode::kFine : ExitCode::kDifferent;
}

Result<KnownGeneration> MadeOrRefused(RebuildSteps& steps, Projection projection) {
  Result<std::optional<KnownGeneration>> made = steps.Made();
  if (!made) return Forward(made);
  if (*made) return **made;
  return Fail(ErrorCode::kRefused, fmt::format("no generation of {0} has been made: `fanfold "
                                               "rebuild start {0}`",
                                               ToString(projection)));
}

ExitCode VerifyAsked(Session& session, const RebuildOptions& options, RebuildSteps& steps,
                     Projection projection) {
  const Result<KnownGeneration> asked =
      options.generation ? steps.Find(*options.generation) : MadeOrRefused(steps, projection);
  if (!asked) return SayFailure(session, asked.error());
  return VerifyStep(session, steps, asked->generation);
}

ExitCode ReadFromNowOn(Session& session, RebuildSteps& steps, Generation generation) {
  const Status ready = steps.MakeReady(generation);
  if (!ready) return SayFailure(session, ready.error());
  const Status promoted = steps.Promote(generation);
  return promoted ? ExitCode::kFine : SayFailure(session, promoted.error());
}

ExitCode PromoteStep(Session& session, RebuildSteps& steps, Projection projection) {
  const Result<KnownGeneration> made = MadeOrRefused(steps, projection);
  if (!made) return SayFailure(session, made.error());
  // What is read already, and waits to decide, was verified before.
  if (!made->is_read) {
    // Before, too: it is the rows that it has which are verified, and that takes long.
    const Status ready = steps.MakeReady(made->generation);
    if (!ready) return SayFailure(session, ready.error());
    const ExitCode verified = VerifyStep(session, steps, made->generation);
    if (verified != ExitCode::kFine) return verified;
  }
  return ReadFromNowOn(session, steps, made->generation);
}

// `wished` becomes the number of what was made.
ExitCode StartStep(Session& session, const RebuildOptions& options, RebuildSteps& steps,
                   std::optional<Generation>& wished) {
  const Result<Generation> made = steps.Start(options.until_ms, wished);
  if (!made) return SayFailure(session, made.error());
  wished = *made;
  const bool verifies = options.step == RebuildStep::kWhole && options.until_ms;
  return verifies ? VerifyStep(session, steps, *made) : ExitCode::kFine;
}

ExitCode WholeStep(Session& session, const RebuildOptions& options, RebuildSteps& steps,
                   Projection projection) {
  const Result<KnownGeneration> made = MadeOrRefused(steps, projection);
  if (!made) return SayFailure(session, made.error());
  // The promotion of an earlier call may have to be ended.
  if (!made->is_read) {
    const Result<Generation> started = steps.Start(std::nullopt, std::nullopt);
    if (!started) return SayFailure(session, started.error());
    if (!MayPromote(session, options, projection, *started)) return ExitCode::kFine;
  }
  return PromoteStep(session, steps, projection);
}

Result<Generation> GenerationBefore(const RebuildOptions& options, RebuildSteps& steps,
                                    Projection projection) {
  if (options.generation) {
    if (Status can_be = steps.CheckBefore(*options.generation); !can_be) return Forward(can_be);
    return *options.generation;
  }
  const Result<std::optional<KnownGeneration>> before = steps.Before();
  if (!before) return std::unexpected(before.error());
  if (*before) return (*before)->generation;
  return Fail(ErrorCode::kRefused, fmt::format("there is no earlier generation of {} to go back to",
                                               ToString(projection)));
}

ExitCode RollbackStep(Session& session, const RebuildOptions& options, RebuildSteps& steps,
                      Projection projection) {
  const Result<Generation> before = GenerationBefore(options, steps, projection);
  if (!before) return SayFailure(session, before.error());
  return ReadFromNowOn(session, steps, *before);
}

// Those before the one that is read, or those after it; or the one that is asked for. `dropped`
// counts them.
ExitCode DropStep(Session& session, const RebuildOptions& options, RebuildSteps& steps,
                  int& dropped) {
  const bool before = options.step == RebuildStep::kRetire;
  const auto known = steps.Known();
  if (!known) return SayFailure(session, known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  for (auto at = known->begin(); at != known->end(); ++at) {
    const bool is_meant = options.generation ? at->generation == *options.generation
                          : before           ? at < read
                                             : at > read;
    if (!is_meant || at == read || read == known->end()) continue;
    if (const Status left = steps.LetReadersLeave(); !left)
      return SayFailure(session, left.error());
    const Status drop = steps.Drop(at->generation);
    if (!drop) return SayFailure(session, drop.error());
    ++dropped;
  }
  return ExitCode::kFine;
}

ExitCode ShowStatus(Session& session, Generations& generations) {
  const auto known = generations.List();
  if (!known) return SayFailure(session, known.error());
  TextTable table({"PROJECTION", "GEN", "STATE", "READ", "DECIDES", "AS OF"});
  Json items = Json::array();
  for (const KnownGeneration& generation : *known) {
    const std::string_view state = ToString(generation.state);
    const std::optional<std::int64_t>& until_ms = generation.until_ms;
    items.push_back({{"projection", ToString(generation.projection)},
                     {"generation", generation.generation.value},
                     {"state", state},
                     {"read", generation.is_read},
                     {"decides", generation.to_decide},
                     {"until_ms", until_ms ? Json(*until_ms) : Json()}});
    table.Add({std::string(ToString(generation.projection)),
               std::to_string(generation.generation.value), std::string(state),
               generation.is_read ? "yes" : "no", generation.to_decide ? "yes" : "no",
               until_ms ? IsoTime(*until_ms) : "-"});
  }
  if (session.json) {
    session.console.PrintLine(Json{{"generations", std::move(items)}}.dump());
  } else {
    session.console.Print(table.Text());
  }
  session.console.Flush();
  return ExitCode::kFine;
}

// What the steps of the projections have in common.
struct SoFar {
  // Both projections get the same number, where it is free, so that one names both.
  std::optional<Generation> wished;
  int dropped = 0;
};

bool IsWhole(const RebuildOptions& options) {
  return options.step == RebuildStep::kWhole && !options.until_ms;
}

// Of several projections an earlier call may have ended some: those that are left, or all of them.
// A whole rebuild goes on with the first that has a generation to be promoted, since it makes those
// of all before it loads the first.
Result<std::vector<Projection>> ProjectionsLeft(Session& session, const RebuildOptions& options,
                                                Generations& generations) {
  const bool is_rollback = options.step == RebuildStep::kRollback && !options.generation;
  const bool may_be_left = IsWhole(options) || is_rollback || options.step == RebuildStep::kPromote;
  if (!may_be_left) return options.projections;
  std::vector<Projection> left;
  for (const Projection projection : options.projections) {
    RebuildSteps steps(session, generations, projection, options.rows_per_second);
    const auto found = is_rollback ? steps.Before() : steps.Made();
    if (!found) return std::unexpected(found.error());
    if (*found || (IsWhole(options) && !left.empty())) left.push_back(projection);
  }
  return left.empty() ? options.projections : left;
}

Status MakeAll(Session& session, const RebuildOptions& options, Generations& generations,
               const std::vector<Projection>& projections) {
  if (projections.size() < options.projections.size()) {
    session.console.Say(
        fmt::format("A rebuild of {} was begun and not ended: it goes on alone. Call "
                    "again to rebuild the others too.",
                    ToString(projections.front())));
  }
  std::optional<Generation> wished;
  for (const Projection projection : projections) {
    RebuildSteps steps(session, generations, projection, options.rows_per_second);
    const Result<Generation> made = steps.Make(wished);
    if (!made) return std::unexpected(made.error());
    wished = *made;
  }
  return {};
}

ExitCode RunStep(Session& session, const RebuildOptions& options, Generations& generations,
                 Projection projection, SoFar& so_far) {
  RebuildSteps steps(session, generations, projection, options.rows_per_second);
  switch (options.step) {
    case RebuildStep::kWhole:
      if (IsWhole(options)) return WholeStep(session, options, steps, projection);
      [[fallthrough]];
    case RebuildStep::kStart:
      return StartStep(session, options, steps, so_far.wished);
    case RebuildStep::kVerify:
      return VerifyAsked(session, options, steps, projection);
    case RebuildStep::kPromote:
      return PromoteStep(session, steps, projection);
    case RebuildStep::kRollback:
      return RollbackStep(session, options, steps, projection);
    case RebuildStep::kRetire:
    case RebuildStep::kCancel:
      return DropStep(session, options, steps, so_far.dropped);
    case RebuildStep::kStatus:
      break;
  }
  return ExitCode::kFine;
}

Status HoldAll(Generations& generations, const std::vector<Projection>& projections) {
  for (const Projection projection : projections) {
    if (Status held = generations.Hold(projection); !held) return held;
  }
  return {};
}

}  // namespace

std::optional<std::vector<Projection>> ParseProjections(std::string_view text) {
  if (text == "all") return AllProjections();
  const std::optional<Projection> named = Projection::Find(text);
  if (!named) return std::nullopt;
  return std::vector{*named};
}

ExitCode RunRebuild(Session& session, const RebuildOptions& options) {
  Result<Generations> generations = Generations::Open(session);
  if (!generations) return session.console.SayError(generations.error());
  if (options.step == RebuildStep::kStatus) return ShowStatus(session, *generations);
  if (options.until_ms && *options.until_ms >= session.clock.NowMs()) {
    return SayFailure(session, {ErrorCode::kRefused, "--until is a time to come"});
  }
  if (options.step != RebuildStep::kVerify) {
    const Status held = HoldAll(*generations, options.projections);
    if (!held) return SayFailure(session, held.error());
  }
  const auto left = ProjectionsLeft(session, options, *generations);
  if (!left) return SayFailure(session, left.error());
  if (IsWhole(options)) {
    const Status made = MakeAll(session, options, *generations, *left);
    if (!made) return SayFailure(session, made.error());
  }
  SoFar so_far;
  for (const Projection projection : *left) {
    const ExitCode code = RunStep(session, options, *generations, projection, so_far);
    if (code != ExitCode::kFine) return code;
  }
  const bool drops = options.step == RebuildStep::kRetire || options.step == RebuildStep::kCancel;
  if (!drops || so_far.dropped > 0) return ExitCode::kFine;
  return SayFailure(session, {ErrorCode::kRefused,
                              "there is no such generation to drop, and the one that is read never "
                              "is: see `fanfold rebuild status`"});
}

}  // namespace fanfold
