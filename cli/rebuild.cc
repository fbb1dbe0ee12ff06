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
  return error.code == ErrorCode::kTimeout ? ExitCode::kDifferent : code;
}

bool MayPromote(Session& session, const RebuildOptions& options, ProjectionKind projection,
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

ExitCode VerifyAsked(Session& session, const RebuildOptions& options, RebuildSteps& steps) {
  const Result<KnownGeneration> asked =
      options.generation ? steps.Find(*options.generation) : steps.Made();
  if (!asked) return SayFailure(session, asked.error());
  return VerifyStep(session, steps, asked->generation);
}

ExitCode PromoteStep(Session& session, RebuildSteps& steps) {
  const Result<KnownGeneration> made = steps.Made();
  if (!made) return SayFailure(session, made.error());
  // What is read already, and waits for its seat, was verified before.
  if (!made->is_read) {
    const Status promotable = steps.CheckPromotable(made->generation);
    if (!promotable) return SayFailure(session, promotable.error());
    const ExitCode verified = VerifyStep(session, steps, made->generation);
    if (verified != ExitCode::kFine) return verified;
  }
  const Status promoted = steps.Promote(made->generation);
  return promoted ? ExitCode::kFine : SayFailure(session, promoted.error());
}

// Is the promotion of an earlier call to be ended first?
bool IsLeftUnfinished(RebuildSteps& steps) {
  const Result<KnownGeneration> made = steps.Made();
  return made && made->is_read;
}

// `wished` becomes the number of what was made.
ExitCode WholeStep(Session& session, const RebuildOptions& options, RebuildSteps& steps,
                   ProjectionKind projection, std::optional<Generation>& wished) {
  const bool promotes = options.step == RebuildStep::kWhole && !options.until_ms;
  if (promotes && IsLeftUnfinished(steps)) return PromoteStep(session, steps);
  const Result<Generation> made = steps.Start(options.until_ms, wished);
  if (!made) return SayFailure(session, made.error());
  wished = *made;
  if (options.step == RebuildStep::kStart) return ExitCode::kFine;
  if (options.until_ms) return VerifyStep(session, steps, *made);
  if (!MayPromote(session, options, projection, *made)) return ExitCode::kFine;
  return PromoteStep(session, steps);
}

ExitCode RollbackStep(Session& session, RebuildSteps& steps) {
  const Result<KnownGeneration> before = steps.Before();
  if (!before) return SayFailure(session, before.error());
  const Status rolled_back = steps.Promote(before->generation);
  return rolled_back ? ExitCode::kFine : SayFailure(session, rolled_back.error());
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
                     {"decides", generation.decides},
                     {"until_ms", until_ms ? Json(*until_ms) : Json()}});
    table.Add({std::string(ToString(generation.projection)),
               std::to_string(generation.generation.value), std::string(state),
               generation.is_read ? "yes" : "no", generation.decides ? "yes" : "no",
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

ExitCode RunStep(Session& session, const RebuildOptions& options, Generations& generations,
                 ProjectionKind projection, SoFar& so_far) {
  RebuildSteps steps(session, generations, projection, options.rows_per_second);
  if (options.step == RebuildStep::kVerify) return VerifyAsked(session, options, steps);
  const Status held = generations.Hold(projection);
  if (!held) return SayFailure(session, held.error());
  switch (options.step) {
    case RebuildStep::kWhole:
    case RebuildStep::kStart:
      return WholeStep(session, options, steps, projection, so_far.wished);
    case RebuildStep::kPromote:
      return PromoteStep(session, steps);
    case RebuildStep::kRollback:
      return RollbackStep(session, steps);
    case RebuildStep::kRetire:
    case RebuildStep::kCancel:
      return DropStep(session, options, steps, so_far.dropped);
    case RebuildStep::kVerify:
    case RebuildStep::kStatus:
      break;
  }
  return ExitCode::kFine;
}

}  // namespace

std::optional<std::vector<ProjectionKind>> ParseProjections(std::string_view text) {
  using enum ProjectionKind;
  if (text == "following") return std::vector{kFollowing};
  if (text == "fans") return std::vector{kFans};
  if (text == "all") return std::vector{kFollowing, kFans};
  return std::nullopt;
}

ExitCode RunRebuild(Session& session, const RebuildOptions& options) {
  Result<Generations> generations = Generations::Open(session);
  if (!generations) return session.console.SayError(generations.error());
  if (options.step == RebuildStep::kStatus) return ShowStatus(session, *generations);
  if (options.until_ms && *options.until_ms >= session.clock.NowMs()) {
    return SayFailure(session, {ErrorCode::kRefused, "--until is a time to come"});
  }
  SoFar so_far;
  for (const ProjectionKind projection : options.projections) {
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
