#include "cli/verbs/run_on.h"

#include <utility>
#include <variant>

#include "cli/deployment/identity.h"
#include "cli/deployment/init.h"
#include "cli/terminal/session.h"

namespace fanfold {
namespace {

struct RunVerb {
  Session& session;

  ExitCode operator()(const InitOptions&) const { return RunInit(session); }
  ExitCode operator()(const IdentityShowOptions&) const { return RunIdentityShow(session); }
  ExitCode operator()(const IdentityRenewOptions& options) const {
    return RunIdentityRenew(session, options);
  }
  ExitCode operator()(const ImportOptions& options) const { return RunImport(session, options); }
  ExitCode operator()(const operations::ImportLogOptions& options) const {
    return RunImportLog(session, options);
  }
  ExitCode operator()(const ExportLogOptions& options) const {
    return RunExportLog(session, options);
  }
  ExitCode operator()(const WaitOptions& options) const { return RunWait(session, options); }
  ExitCode operator()(const StatusOptions& options) const { return RunStatus(session, options); }
  ExitCode operator()(const operations::TailOptions& tail) const { return RunTail(session, tail); }
  ExitCode operator()(const ParkedListOptions& options) const {
    return RunParkedList(session, options);
  }
  ExitCode operator()(const ParkedShowOptions& options) const {
    return RunParkedShow(session, options);
  }
  ExitCode operator()(const LaneListOptions& options) const {
    return RunLaneList(session, options);
  }
  ExitCode operator()(const operations::LaneOrderOptions& options) const {
    return RunLaneOrder(session, options);
  }
  ExitCode operator()(const operations::VerifyOptions& options) const {
    return RunVerify(session, options);
  }
  ExitCode operator()(const operations::RepairOptions& options) const {
    return RunRepair(session, options);
  }
  ExitCode operator()(const operations::ParkedReplayOptions& options) const {
    return RunParkedReplay(session, options);
  }
  ExitCode operator()(const operations::ParkedDropOptions& options) const {
    return RunParkedDrop(session, options);
  }
  ExitCode operator()(const DoctorOptions& options) const { return RunDoctor(session, options); }
  ExitCode operator()(const EraseOptions& options) const { return RunErase(session, options); }
  ExitCode operator()(const FeedModeOptions& to) const { return RunFeedMode(session, to); }
  ExitCode operator()(const ExplainOptions& options) const { return RunExplain(session, options); }
  ExitCode operator()(const operations::RebuildOptions& options) const {
    return RunRebuild(session, options);
  }
  // What needs no deployment, or is one.
  ExitCode operator()(const auto&) const {
    return session.console.SayError({ErrorCode::kInternal, "not a verb on a deployment"});
  }
};

// Is there more to fold once it has run?
bool MovesLanes(const Verb& verb) {
  return HoldsAnyOf<ImportOptions, operations::LaneOrderOptions, operations::ParkedReplayOptions>(
      verb);
}

}  // namespace

ExitCode RunOn(operations::Backend& backend, bool folds_here, const CommandLine& command,
               HowToCall calls, Console& console, operations::Interrupt& interrupt) {
  const SystemClock clock;
  const Verb& verb = command.verb;
  Session session{backend, clock, interrupt, console, command.json, std::move(calls)};
  const auto run = [&session](const auto& options) { return RunVerb{session}(options); };
  if (!folds_here) return std::visit(run, verb);
  // What cannot be folded is for the doctor to look at.
  const bool looks_anyway = std::holds_alternative<DoctorOptions>(verb);
  const ExitCode before = RunWait(session, looks_anyway ? kFoldForDoctor : kFoldToTheEnd);
  if (before != ExitCode::kFine && (!looks_anyway || interrupt.WaitFor(0))) return before;
  const ExitCode code = std::visit(run, verb);
  if (!MovesLanes(verb)) return code;
  const ExitCode folded = RunWait(session, kFoldToTheEnd);
  return code == ExitCode::kFine ? folded : code;
}

operations::Reach ReachOf(const Verb& verb) {
  const bool looks_itself =
      HoldsAnyOf<InitOptions, DoctorOptions, IdentityShowOptions, IdentityRenewOptions>(verb);
  return looks_itself ? operations::Reach::kAnySchemas : operations::Reach::kOwnSchemas;
}

}  // namespace fanfold
