#include "cli/log/import.h"

#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "cli/inspect/wait.h"
#include "cli/log/import_answer.h"
#include "operations/log/import.h"

namespace fanfold {
namespace {

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

ExitCode ExitCodeOf(operations::DecidedEnd end) {
  switch (end) {
    case operations::DecidedEnd::kAll:
      return ExitCode::kFine;
    case operations::DecidedEnd::kLate:
      return ExitCode::kDifferent;
    case operations::DecidedEnd::kHalted:
      return ExitCode::kRefused;
    case operations::DecidedEnd::kInterrupted:
    case operations::DecidedEnd::kFailed:
      break;
  }
  return ExitCode::kError;
}

std::string_view WhyUndecided(operations::DecidedEnd end) {
  switch (end) {
    case operations::DecidedEnd::kAll:
      break;
    case operations::DecidedEnd::kLate:
      return "nothing was decided for as long as --timeout says";
    case operations::DecidedEnd::kHalted:
      return "a lane has halted, and `fanfold lane list` says what to do";
    case operations::DecidedEnd::kInterrupted:
      return "interrupted";
    case operations::DecidedEnd::kFailed:
      return "their outcomes cannot be read";
  }
  return "";
}

// Why the file is not in the log as a whole; kFine when it is.
ExitCode TellEnd(Session& session, const operations::ImportResult& result) {
  if (result.failure) return TellFailure(session, result);
  if (!result.flushed) return TellUnflushed(session, result);
  switch (result.end) {
    case operations::ImportEnd::kReadFailed:
      session.console.Say(
          result.appended == 0
              ? fmt::format("fanfold: {}; nothing was appended", result.read_error.message)
              : fmt::format("fanfold: {}; everything before line {} is in the log",
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

// Whether all of it was decided; kFine when it was, or nobody was to wait for it.
ExitCode TellUndecided(Session& session, const operations::ImportResult& result) {
  if (!result.decided || result.decided->end == operations::DecidedEnd::kAll)
    return ExitCode::kFine;
  const operations::ImportDecided& decided = *result.decided;
  session.console.Say(fmt::format(
      "fanfold: {} events are in the log and not known to be decided yet: {}. They are decided "
      "without this command, too; `fanfold status` says how far that is",
      result.appended - decided.events, WhyUndecided(decided.end)));
  if (!decided.unreachable.empty()) session.console.Say("  " + decided.unreachable);
  SayLagging(session.console, decided.lagging);
  return ExitCodeOf(decided.end);
}

bool HasRefused(const operations::ImportResult& result) {
  return result.bad > 0 || (result.decided && !result.decided->refused.empty());
}

}  // namespace

ExitCode RunImport(Session& session, const ImportOptions& options) {
  operations::ImportSource source = options.source;
  if (options.waits) source.silence_max_ms = options.timeout_ms;
  const Result<operations::ImportResult> result = operations::Import(session, source);
  if (!result) return session.console.SayError(result.error());
  PrintImported(session, *result);
  ExitCode code = TellEnd(session, *result);
  const ExitCode undecided = TellUndecided(session, *result);
  if (code == ExitCode::kFine) code = undecided;
  if (code != ExitCode::kFine) return code;
  if (result->all_bad()) return ExitCode::kError;
  return options.strict && HasRefused(*result) ? ExitCode::kDifferent : ExitCode::kFine;
}

}  // namespace fanfold
