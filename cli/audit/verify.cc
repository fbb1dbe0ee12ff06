#include "cli/audit/verify.h"

#include <fmt/format.h>

#include "cli/audit/differences.h"

namespace fanfold {
namespace {

void Print(Session& session, const projector::VerifyReport& report) {
  if (session.json) {
    session.console.PrintLine(fmt::format(R"({{"differences":{},"items":{}}})", report.found,
                                          ItemsJson(report.differences)));
  } else {
    for (const projector::Difference& difference : report.differences) {
      session.console.PrintLine(ToText(difference));
    }
    session.console.PrintLine(fmt::format("differences: {}", report.found));
  }
  session.console.Flush();
}

}  // namespace

ExitCode RunVerify(Session& session, const operations::VerifyOptions& options) {
  const Result<projector::VerifyReport> report = operations::Verify(session, options);
  if (!report) return session.console.SayError(report.error());
  Print(session, *report);
  if (report->inboxes_skipped > 0) session.console.Say(SkippedText(report->inboxes_skipped));
  return report->found == 0 ? ExitCode::kFine : ExitCode::kDifferent;
}

}  // namespace fanfold
