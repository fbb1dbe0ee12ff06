#include "cli/log/import.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/json_text.h"
#include "operations/log/import.h"

namespace fanfold {
namespace {

void PrintTotals(Session& session, const operations::ImportResult& result) {
  const double seconds = static_cast<double>(result.elapsed_ms) / 1000.0;
  const double per_second = seconds > 0 ? static_cast<double>(result.appended) / seconds : 0.0;
  if (session.json) {
    const nlohmann::json totals = {{"appended", result.appended},
                                   {"bad", result.bad},
                                   {"seconds", seconds},
                                   {"events_per_second", static_cast<std::int64_t>(per_second)},
                                   {"complete", result.whole()}};
    session.console.PrintLine(OneLine(totals));
  } else {
    session.console.PrintLine(fmt::format("appended {}, bad {}, {:.1f} s, {:.0f} events/s",
                                          result.appended, result.bad, seconds, per_second));
  }
  session.console.Flush();
}

ExitCode TellFailure(Session& session, const operations::ImportResult& result) {
  session.console.Say(fmt::format(
      "fanfold: line {} is not known to be in the log: {}\nStopped there: every event before that "
      "line is in the log, {} events in all. Importing the same file again is safe: repeats change "
      "nothing",
      result.failure->line, result.failure->error.message, result.appended));
  return ExitCode::kError;
}

ExitCode TellUnflushed(Session& session, const operations::ImportResult& result) {
  session.console.Say(fmt::format(
      "fanfold: the log does not answer; {} events are surely in it, later ones perhaps. "
      "Importing the same file again is safe: repeats change nothing",
      result.appended));
  return ExitCode::kError;
}

// Why the file is not in the log as a whole; kFine when it is.
ExitCode TellEnd(Session& session, const operations::ImportResult& result) {
  if (result.failure) return TellFailure(session, result);
  if (!result.flushed) return TellUnflushed(session, result);
  switch (result.end) {
    case operations::ImportEnd::kReadFailed:
      session.console.Say(fmt::format("fanfold: {}; everything before line {} is in the log",
                                      result.read_error.message, result.lines + 1));
      return ExitCode::kError;
    case operations::ImportEnd::kInterrupted:
      session.console.Say(fmt::format(
          "fanfold: interrupted; everything before line {} is in the log. Importing the same "
          "file again is safe: repeats change nothing",
          result.lines));
      return ExitCode::kError;
    case operations::ImportEnd::kAppendFailed:
    case operations::ImportEnd::kWholeFile:
      break;
  }
  return ExitCode::kFine;
}

}  // namespace

ExitCode RunImport(Session& session, const ImportOptions& options) {
  const Result<operations::ImportResult> result = operations::Import(
      session, {.file = options.file, .format = options.format, .posts = options.posts});
  if (!result) return session.console.SayError(result.error());
  PrintTotals(session, *result);
  const ExitCode code = TellEnd(session, *result);
  const bool bad = result->bad > 0 && options.strict;
  return code == ExitCode::kFine && bad ? ExitCode::kDifferent : code;
}

}  // namespace fanfold
