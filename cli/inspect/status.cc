#include "cli/inspect/status.h"

#include <optional>
#include <string_view>
#include <utility>

#include "cli/inspect/status_report.h"

namespace fanfold {
namespace {

constexpr std::int64_t kWatchPeriodMs = 1000;

// kError when a shard does not answer.
ExitCode Show(Session& session, const StatusOptions& options,
              const operations::StatusReport& report) {
  constexpr std::string_view kHomeAndClear = "\x1b[H\x1b[2J";
  if (session.json) {
    session.console.PrintLine(StatusJson(report));
  } else {
    if (options.watch && session.console.out_is_terminal()) session.console.Print(kHomeAndClear);
    session.console.Print(StatusText(report, options.all_lanes));
  }
  ExitCode code = ExitCode::kFine;
  for (const Error& failure : report.failures) code = session.console.SayError(failure);
  return code;
}

ExitCode Watch(Session& session, const StatusOptions& options, operations::StatusSource& source) {
  std::optional<operations::StatusReport> before;
  do {
    Result<operations::StatusReport> report = source.Read();
    if (!report) {
      session.console.SayError(report.error());
      continue;
    }
    if (before) SetRates(*report, *before);
    (void)Show(session, options, *report);
    if (!session.console.Flush()) return ExitCode::kFine;
    before = std::move(*report);
  } while (!session.interrupt.WaitFor(kWatchPeriodMs));
  return ExitCode::kFine;
}

}  // namespace

ExitCode RunStatus(Session& session, const StatusOptions& options) {
  Result<operations::StatusSource> source = operations::StatusSource::Open(session);
  if (!source) return session.console.SayError(source.error());
  if (options.watch) return Watch(session, options, *source);
  const Result<operations::StatusReport> report = source->ReadWithRates();
  if (!report) return session.console.SayError(report.error());
  const ExitCode code = Show(session, options, *report);
  session.console.Flush();
  return code;
}

}  // namespace fanfold
