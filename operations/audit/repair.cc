#include "operations/audit/repair.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operations/audit/audited_tables.h"

namespace fanfold::operations {
namespace {

constexpr std::string_view kReason = "fanfold repair";

class Mender {
 public:
  Mender(Context& context, const AuditedTables& tables, ToldPace& pace)
      : context_(context), tables_(tables), read_(tables.deployment), pace_(pace) {}

  // What is left when it is done.
  Result<projector::VerifyReport> Mend(const projector::VerifyReport& found) {
    projector::Repairer repairer(
        tables_.PortsFor(context_, read_.placement, pace_),
        [this](Shard shard) { return context_.backend.OpenOperations(shard); }, read_.read);
    Result<projector::RepairReport> mended = repairer.Mend(found.differences, std::string(kReason));
    if (!mended) return Forward(mended);
    const Result<std::size_t> inboxes =
        projector::InboxAudit(tables_.InboxPortsFor(context_, pace_)).Mend(found.differences);
    if (!inboxes) return std::unexpected(inboxes.error());
    mended_ = std::move(*mended);
    mended_.rows += *inboxes;
    // More was found than is listed, or lies outside any user: only a look at everything tells.
    const bool all_listed = found.found == found.differences.size();
    if (!all_listed || mended_.users.size() > kUsersAgainMax) {
      return VerifyAll(context_, tables_, pace_);
    }
    Result<projector::VerifyReport> left = VerifyUsers(context_, tables_, pace_, mended_.users);
    if (!left) return left;
    for (const projector::Difference& difference : found.differences) {
      if (difference.kind != DifferenceKind::kNotInTopics) continue;
      left->differences.push_back(difference);
      ++left->found;
    }
    return left;
  }

  [[nodiscard]] projector::RepairReport& mended() noexcept { return mended_; }

 private:
  static constexpr std::size_t kUsersAgainMax = 10'000;

  Context& context_;
  const AuditedTables& tables_;
  const Deployment& read_;
  ToldPace& pace_;
  projector::RepairReport mended_;
};

}  // namespace

Result<RepairResult> Repair(Context& context, const RepairOptions& options) {
  const Result<AuditedTables> tables = OpenAudited(context);
  if (!tables) return std::unexpected(tables.error());
  for (const Stream stream : Stream::All()) {
    if (Status same = ProveLog(context, *tables, stream); !same) return Forward(same);
  }
  ToldPace pace(context, 0);
  Result<projector::VerifyReport> found = VerifyAll(context, *tables, pace);
  if (!found) return Forward(found);
  RepairResult result{std::move(*found), {}, {}};
  if (options.dry_run) result.left.found = result.found.found;
  if (options.dry_run || result.found.found == 0) return result;
  Mender mender(context, *tables, pace);
  Result<projector::VerifyReport> left = mender.Mend(result.found);
  if (!left) return Forward(left);
  result.left = std::move(*left);
  result.mended = std::move(mender.mended());
  return result;
}

}  // namespace fanfold::operations
