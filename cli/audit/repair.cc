#include "cli/audit/repair.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "cli/audit/differences.h"

namespace fanfold {
namespace {

void Print(Session& session, const operations::RepairResult& result, bool dry_run) {
  const auto& [found, mended, left] = result;
  const std::vector<projector::Difference>& listed = dry_run ? found.differences : left.differences;
  if (session.json) {
    session.console.PrintLine(
        fmt::format(R"({{"found":{},"mended_rows":{},"mended_counts":{},"left":{},"items":{}}})",
                    found.found, mended.rows, mended.counts, left.found, ItemsJson(listed)));
  } else {
    for (const projector::Difference& difference : listed)
      session.console.PrintLine(ToText(difference));
    if (dry_run) {
      session.console.PrintLine(fmt::format("to mend: {}", found.found));
    } else {
      session.console.PrintLine(fmt::format("found: {}, mended: {} rows and {} counts, left: {}",
                                            found.found, mended.rows, mended.counts, left.found));
    }
  }
  session.console.Flush();
}

}  // namespace

ExitCode RunRepair(Session& session, const operations::RepairOptions& options) {
  const Result<operations::RepairResult> result = operations::Repair(session, options);
  if (!result) return session.console.SayError(result.error());
  Print(session, *result, options.dry_run);
  const std::size_t skipped = std::max(result->found.inboxes_skipped, result->left.inboxes_skipped);
  if (skipped > 0) session.console.Say(SkippedText(skipped));
  return result->left.found == 0 ? ExitCode::kFine : ExitCode::kDifferent;
}

}  // namespace fanfold
