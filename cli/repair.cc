#include "cli/repair.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "cli/audit_tables.h"

namespace fanfold {
namespace {

constexpr std::string_view kReason = "fanfold repair";

class Repair {
 public:
  Repair(Session& session, const AuditedTables& tables, ShownPace& pace)
      : session_(session), tables_(tables), pace_(pace) {}

  // What is left when it is done.
  Result<VerifyReport> Mend(const VerifyReport& found) {
    Repairer repairer(
        tables_.PortsFor(session_, pace_),
        [this](Shard shard) { return session_.backend.OpenOperations(shard); },
        tables_.catalog.read);
    Result<RepairReport> mended = repairer.Mend(found.differences, std::string(kReason));
    if (!mended) return Forward(mended);
    mended_ = std::move(*mended);
    // More was found than is listed, or lies outside any user: only a look at everything tells.
    const bool all_listed = found.found == found.differences.size();
    if (!all_listed || mended_.users.size() > kUsersAgainMax) {
      return VerifyAll(session_, tables_, pace_);
    }
    Result<VerifyReport> left =
        Verifier(tables_.PortsFor(session_, pace_), tables_.catalog.read, AllProjections())
            .Of(mended_.users);
    if (!left) return left;
    for (const Difference& difference : found.differences) {
      if (difference.kind != DifferenceKind::kNotInTopics) continue;
      left->differences.push_back(difference);
      ++left->found;
    }
    return left;
  }

  [[nodiscard]] const RepairReport& mended() const noexcept { return mended_; }

 private:
  static constexpr std::size_t kUsersAgainMax = 10'000;

  Session& session_;
  const AuditedTables& tables_;
  ShownPace& pace_;
  RepairReport mended_;
};

void Print(Session& session, const VerifyReport& found, const RepairReport& mended,
           const VerifyReport& left, bool dry_run) {
  const std::vector<Difference>& listed = dry_run ? found.differences : left.differences;
  if (session.json) {
    session.console.PrintLine(
        fmt::format(R"({{"found":{},"mended_rows":{},"mended_counts":{},"left":{},"items":{}}})",
                    found.found, mended.rows, mended.counts, left.found, ItemsJson(listed)));
  } else {
    for (const Difference& difference : listed) session.console.PrintLine(ToText(difference));
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

ExitCode RunRepair(Session& session, const RepairOptions& options) {
  const Result<AuditedTables> tables = OpenAudited(session);
  if (!tables) return session.console.SayError(tables.error());
  ShownPace pace(session, 0);
  Result<VerifyReport> found = VerifyAll(session, *tables, pace);
  Repair repair(session, *tables, pace);
  Result<VerifyReport> left = VerifyReport();
  if (found && options.dry_run) left->found = found->found;
  if (found && found->found > 0 && !options.dry_run) left = repair.Mend(*found);
  pace.Clear();
  if (!found) return session.console.SayError(found.error());
  if (!left) return session.console.SayError(left.error());
  Print(session, *found, repair.mended(), *left, options.dry_run);
  return left->found == 0 ? ExitCode::kFine : ExitCode::kDifferent;
}

}  // namespace fanfold
