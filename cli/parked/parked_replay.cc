#include "cli/parked/parked_replay.h"

#include "cli/parked/replay_report.h"

namespace fanfold {

ExitCode RunParkedReplay(Session& session, const operations::ParkedReplayOptions& options) {
  const Result<operations::ReplayRun> run = operations::ReplayParked(session, options);
  if (!run) return session.console.SayError(run.error());
  if (session.json) {
    session.console.PrintLine(ReplayJson(run->results));
  } else if (run->done || !run->results.empty()) {
    session.console.Print(ReplayText(run->results));
  }
  session.console.Flush();
  return run->done ? ExitCodeOf(run->results) : session.console.SayError(run->done.error());
}

}  // namespace fanfold
