#include "cli/log/export_log.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "common/base/json_text.h"
#include "operations/lanes/lanes.h"
#include "operations/log/export_log.h"

namespace fanfold {
namespace {

void PrintTotals(Session& session, const ExportLogOptions& options,
                 const operations::AllEnds& totals, std::int64_t elapsed_ms) {
  const double seconds = static_cast<double>(elapsed_ms) / 1000.0;
  const std::int64_t events = operations::SumOf(totals, false);
  const std::int64_t outcomes = operations::SumOf(totals, true);
  const std::size_t partitions = totals[Topic()].size();
  const nlohmann::json answer = {
      {"events", events}, {"outcomes", outcomes}, {"partitions", partitions}, {"seconds", seconds}};
  const std::string text =
      session.json ? OneLine(answer)
                   : fmt::format("exported {} events and {} outcomes of {} partitions, {:.1f} s",
                                 events, outcomes, partitions, seconds);
  if (options.file == "-") return session.console.Say(text);  // stdout is the file
  session.console.PrintLine(text);
  session.console.Flush();
}

}  // namespace

ExitCode RunExportLog(Session& session, const ExportLogOptions& options) {
  const auto open = [&] {
    const bool is_stdout = options.file == "-";
    return is_stdout ? operations::LineFile::Of(dup(STDOUT_FILENO), options.file)
                     : operations::LineFile::Open(options.file);
  };
  const Result<operations::ExportedLog> exported =
      operations::ExportLog(session, open, options.without);
  if (!exported) return session.console.SayError(exported.error());
  PrintTotals(session, options, exported->totals, exported->elapsed_ms);
  return ExitCode::kFine;
}

}  // namespace fanfold
