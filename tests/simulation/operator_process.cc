#include "tests/simulation/operator_process.h"

#include <iterator>
#include <utility>
#include <vector>

#include "projector/audit/verifier.h"
#include "tests/simulation/operator_backend.h"

namespace fanfold::simulation {
namespace {

using operations::RebuildEnd;
using operations::RebuildOptions;
using operations::RebuildStep;

// A wait is as many turns at most, however long it is.
constexpr std::int64_t kTurnsOfAWaitMax = 20;
constexpr std::uint64_t kInterruptedOf = 1'000;
constexpr std::uint64_t kLongAgoMaxMs = 20'000;
constexpr int kTriesMax = 5;

const std::vector<Projection>& Relations() {
  static const std::vector<Projection> both = {projections::kFollowing, projections::kFans};
  return both;
}

}  // namespace

OperatorProcess::OperatorProcess(Ground& ground, const Others& others, std::function<void()> turn)
    : ground_(ground), turn_(std::move(turn)), life_(ground.nemesis, ground.random, others) {}

void OperatorProcess::Step() {
  static constexpr RebuildStep kSteps[] = {
      RebuildStep::kWhole,   RebuildStep::kWhole,    RebuildStep::kStart,  RebuildStep::kVerify,
      RebuildStep::kPromote, RebuildStep::kRollback, RebuildStep::kRetire, RebuildStep::kCancel};
  SplitMix64& random = ground_.random;
  RebuildOptions options;
  options.step = kSteps[random.Below(std::size(kSteps))];
  options.projections = Relations();
  const std::size_t one = random.Below(3);
  if (one < Relations().size()) options.projections = {Relations()[one]};
  options.yes = true;
  if (options.step == RebuildStep::kStart && random.Below(4) == 0) {
    options.until_ms =
        ground_.clock.NowMs() - static_cast<std::int64_t>(random.Below(kLongAgoMaxMs));
  }
  ground_.trace.Say("operator", {static_cast<int>(options.step), static_cast<int>(one)});
  const Result<RebuildEnd> end = Run(options);
  if (end) return;
  if (ground_.trace.verbose()) ground_.trace.Explain("operator: " + end.error().message);
  if (end.error().code == ErrorCode::kInternal) ground_.oracle.Complain(end.error().message);
}

void OperatorProcess::EndRebuilds() {
  for (int tries = 1; tries <= kTriesMax; ++tries) {
    RebuildOptions options;
    options.step = RebuildStep::kWhole;
    options.projections = Relations();
    options.yes = true;
    const Result<RebuildEnd> end = Run(options);
    if (!end) return ground_.oracle.Complain("a rebuild does not end: " + end.error().message);
    if (*end == RebuildEnd::kDone) return;
    // Changed by hand while it was read.
    options.step = RebuildStep::kCancel;
    (void)Run(options);
  }
  ground_.oracle.Complain("rebuilds find differences, again and again");
}

Result<RebuildEnd> OperatorProcess::Run(const RebuildOptions& options) {
  interrupted_ = false;
  OperatorBackend backend(ground_, life_);
  operations::Context context{backend, ground_.clock, *this, *this};
  Result<operations::Generations> generations = operations::Generations::Open(context);
  if (!generations) return Forward(generations);
  return Rebuild(context, options, *generations, [](Projection, Generation) { return true; });
}

bool OperatorProcess::WaitFor(std::int64_t timeout_ms) {
  // The tables stand still for whoever only asks.
  if (timeout_ms == 0) return interrupted_;
  const std::int64_t until = ground_.clock.SteadyMs() + timeout_ms;
  while (ground_.clock.SteadyMs() < until && !ground_.oracle.complaint()) {
    ground_.clock.SleepMs(timeout_ms / kTurnsOfAWaitMax);
    turn_();
  }
  const bool interrupts = !ground_.nemesis.resting() && ground_.random.Below(kInterruptedOf) == 0;
  interrupted_ = interrupted_ || interrupts || ground_.oracle.complaint().has_value();
  return interrupted_;
}

void OperatorProcess::Step(const operations::StepDone& step) {
  if (ground_.trace.verbose()) {
    ground_.trace.Explain(NameOf(step.projection, step.generation) + " " + std::string(step.what));
  }
  if (step.verified == nullptr) return;
  ReadGenerations verified;
  verified[step.projection] = step.generation;
  ground_.oracle.CheckDifferences(step.verified->differences, verified);
}

}  // namespace fanfold::simulation
