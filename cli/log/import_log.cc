#include "cli/log/import_log.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

void PrintTotals(Session& session, const operations::ImportedLog& log) {
  const double seconds = static_cast<double>(log.elapsed_ms) / 1000.0;
  if (session.json) {
    const nlohmann::json totals = {{"events", log.events},
                                   {"outcomes", log.outcomes},
                                   {"same_offsets", log.same_offsets},
                                   {"seconds", seconds}};
    session.console.PrintLine(OneLine(totals));
  } else if (log.same_offsets) {
    session.console.PrintLine(
        fmt::format("imported {} events and {} outcomes at their offsets, {:.1f} s", log.events,
                    log.outcomes, seconds));
  } else {
    session.console.PrintLine(fmt::format(
        "imported {} events into a new log, to be decided afresh, {:.1f} s", log.events, seconds));
  }
  session.console.Flush();
}

}  // namespace

ExitCode RunImportLog(Session& session, const operations::ImportLogOptions& options) {
  const Result<operations::ImportedLog> imported = operations::ImportLog(session, options);
  if (!imported) return session.console.SayError(imported.error());
  PrintTotals(session, *imported);
  return ExitCode::kFine;
}

}  // namespace fanfold
