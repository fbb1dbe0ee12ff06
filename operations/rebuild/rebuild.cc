#include "operations/rebuild/rebuild.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "operations/rebuild/generations.h"
#include "operations/rebuild/rebuild_steps.h"

namespace fanfold::operations {
namespace {

Result<RebuildEnd> VerifyStep(RebuildSteps& steps, Generation generation) {
  const Result<projector::VerifyReport> report = steps.Verify(generation);
  if (!report) return std::unexpected(report.error());
  return report->found == 0 ? RebuildEnd::kDone : RebuildEnd::kDiffers;
}

Result<KnownGeneration> MadeOrRefused(RebuildSteps& steps, Projection projection) {
  Result<std::optional<KnownGeneration>> made = steps.Made();
  if (!made) return Forward(made);
  if (*made) return **made;
  return Fail(ErrorCode::kRefused, fmt::format("no generation of {0} has been made: `fanfold "
                                               "rebuild start {0}`",
                                               ToString(projection)));
}

Result<RebuildEnd> VerifyAsked(const RebuildOptions& options, RebuildSteps& steps,
                               Projection projection) {
  const Result<KnownGeneration> asked =
      options.generation ? steps.Find(*options.generation) : MadeOrRefused(steps, projection);
  if (!asked) return std::unexpected(asked.error());
  return VerifyStep(steps, asked->generation);
}

Result<RebuildEnd> ReadFromNowOn(RebuildSteps& steps, Generation generation) {
  const Status ready = steps.MakeReady(generation);
  if (!ready) return std::unexpected(ready.error());
  const Status promoted = steps.Promote(generation);
  if (!promoted) return std::unexpected(promoted.error());
  return RebuildEnd::kDone;
}

Result<RebuildEnd> PromoteMade(RebuildSteps& steps, const KnownGeneration& made) {
  // What is read already, and waits to decide, was verified before.
  if (made.IsInTheMaking()) {
    // Before, too: it is the rows that it has which are verified, and that takes long.
    const Status ready = steps.MakeReady(made.generation);
    if (!ready) return std::unexpected(ready.error());
    const Result<RebuildEnd> verified = VerifyStep(steps, made.generation);
    if (verified != RebuildEnd::kDone) return verified;
  }
  return ReadFromNowOn(steps, made.generation);
}

Result<RebuildEnd> PromoteStep(RebuildSteps& steps, Projection projection) {
  const Result<KnownGeneration> made = MadeOrRefused(steps, projection);
  if (!made) return std::unexpected(made.error());
  return PromoteMade(steps, *made);
}

// `wished` becomes the number of what was made.
Result<RebuildEnd> StartStep(const RebuildOptions& options, RebuildSteps& steps,
                             std::optional<Generation>& wished) {
  const Result<Generation> made = steps.Start(options.until_ms, wished);
  if (!made) return std::unexpected(made.error());
  wished = *made;
  const bool verifies = options.step == RebuildStep::kWhole && options.until_ms;
  return verifies ? VerifyStep(steps, *made) : RebuildEnd::kDone;
}

Result<RebuildEnd> WholeStep(const RebuildOptions& options, const MayPromote& may_promote,
                             RebuildSteps& steps, Projection projection) {
  const Result<KnownGeneration> made = MadeOrRefused(steps, projection);
  if (!made) return std::unexpected(made.error());
  // The promotion of an earlier call may have to be ended.
  if (made->IsInTheMaking()) {
    const Result<Generation> started = steps.Start(std::nullopt, std::nullopt);
    if (!started) return std::unexpected(started.error());
    // What is read, and was lacking on a shard, is read with it.
    const bool promotes = made->is_read || options.yes || may_promote(projection, *started);
    if (!promotes) return RebuildEnd::kDone;
  }
  return PromoteMade(steps, *made);
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

Result<RebuildEnd> RollbackStep(const RebuildOptions& options, RebuildSteps& steps,
                                Projection projection) {
  const Result<Generation> before = GenerationBefore(options, steps, projection);
  if (!before) return std::unexpected(before.error());
  return ReadFromNowOn(steps, *before);
}

// Those before the one that is read, or those after it; or the one that is asked for. `dropped`
// counts them.
Result<RebuildEnd> DropStep(const RebuildOptions& options, RebuildSteps& steps, int& dropped) {
  const bool before = options.step == RebuildStep::kRetire;
  const auto known = steps.Known();
  if (!known) return std::unexpected(known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  for (auto at = known->begin(); at != known->end(); ++at) {
    const bool is_meant = options.generation ? at->generation == *options.generation
                          : before           ? at < read
                                             : at > read;
    if (!is_meant || at == read || read == known->end()) continue;
    if (const Status left = steps.LetReadersLeave(); !left) return std::unexpected(left.error());
    const Status drop = steps.Drop(at->generation);
    if (!drop) return std::unexpected(drop.error());
    ++dropped;
  }
  return RebuildEnd::kDone;
}

std::string WhyNothingToDrop(const RebuildOptions& options) {
  if (options.generation) {
    return fmt::format(
        "generation {} is not there, or is read, and what is read is never dropped: "
        "see `fanfold rebuild status`",
        options.generation->value);
  }
  return options.step == RebuildStep::kRetire
             ? "there is no older generation to drop; `fanfold rebuild cancel` drops newer ones"
             : "there is no newer generation to drop; `fanfold rebuild retire` drops older ones";
}

// What the steps of the projections have in common.
struct SoFar {
  // All projections get the same number, where it is free, so that one names all.
  std::optional<Generation> wished;
  int dropped = 0;
};

bool IsWhole(const RebuildOptions& options) {
  return options.step == RebuildStep::kWhole && !options.until_ms;
}

// Of several projections an earlier call may have ended some: those that are left, or all of them.
// A whole rebuild goes on with the first that has a generation to be promoted, since it makes those
// of all before it loads the first.
Result<std::vector<Projection>> ProjectionsLeft(Context& context, const RebuildOptions& options,
                                                Generations& generations) {
  const bool is_rollback = options.step == RebuildStep::kRollback && !options.generation;
  const bool may_be_left = IsWhole(options) || is_rollback || options.step == RebuildStep::kPromote;
  if (!may_be_left) return options.projections;
  std::vector<Projection> left;
  for (const Projection projection : options.projections) {
    RebuildSteps steps(context, generations, projection, options.rows_per_second);
    const auto found = is_rollback ? steps.Before() : steps.Made();
    if (!found) return std::unexpected(found.error());
    if (*found || (IsWhole(options) && !left.empty())) left.push_back(projection);
  }
  return left.empty() ? options.projections : left;
}

Status MakeAll(Context& context, const RebuildOptions& options, Generations& generations,
               const std::vector<Projection>& projections) {
  if (projections.size() < options.projections.size()) {
    context.sink.Note(
        fmt::format("A rebuild of {} was begun and not ended: it goes on alone. Call "
                    "again to rebuild the others too.",
                    ToString(projections.front())));
  }
  std::optional<Generation> wished;
  for (const Projection projection : projections) {
    RebuildSteps steps(context, generations, projection, options.rows_per_second);
    const Result<Generation> made = steps.Make(wished);
    if (!made) return std::unexpected(made.error());
    wished = *made;
  }
  return {};
}

Result<RebuildEnd> RunStep(Context& context, const RebuildOptions& options,
                           const MayPromote& may_promote, Generations& generations,
                           Projection projection, SoFar& so_far) {
  RebuildSteps steps(context, generations, projection, options.rows_per_second);
  switch (options.step) {
    case RebuildStep::kWhole:
      if (IsWhole(options)) return WholeStep(options, may_promote, steps, projection);
      [[fallthrough]];
    case RebuildStep::kStart:
      return StartStep(options, steps, so_far.wished);
    case RebuildStep::kVerify:
      return VerifyAsked(options, steps, projection);
    case RebuildStep::kPromote:
      return PromoteStep(steps, projection);
    case RebuildStep::kRollback:
      return RollbackStep(options, steps, projection);
    case RebuildStep::kRetire:
    case RebuildStep::kCancel:
      return DropStep(options, steps, so_far.dropped);
    case RebuildStep::kStatus:
      break;
  }
  return RebuildEnd::kDone;
}

Status HoldAll(Generations& generations, const std::vector<Projection>& projections) {
  for (const Projection projection : projections) {
    if (Status held = generations.Hold(projection); !held) return held;
  }
  return {};
}

}  // namespace

Result<RebuildEnd> Rebuild(Context& context, const RebuildOptions& options,
                           Generations& generations, const MayPromote& may_promote) {
  if (options.until_ms && *options.until_ms >= context.clock.NowMs()) {
    return Fail(ErrorCode::kRefused, "--until is a time to come");
  }
  if (options.step != RebuildStep::kVerify) {
    const Status held = HoldAll(generations, options.projections);
    if (!held) return std::unexpected(held.error());
  }
  const auto left = ProjectionsLeft(context, options, generations);
  if (!left) return std::unexpected(left.error());
  if (IsWhole(options)) {
    const Status made = MakeAll(context, options, generations, *left);
    if (!made) return std::unexpected(made.error());
  }
  SoFar so_far;
  for (const Projection projection : *left) {
    const Result<RebuildEnd> end =
        RunStep(context, options, may_promote, generations, projection, so_far);
    if (end != RebuildEnd::kDone) return end;
  }
  const bool drops = options.step == RebuildStep::kRetire || options.step == RebuildStep::kCancel;
  if (!drops || so_far.dropped > 0) return RebuildEnd::kDone;
  return Fail(ErrorCode::kRefused, WhyNothingToDrop(options));
}

}  // namespace fanfold::operations
