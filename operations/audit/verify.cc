#include "operations/audit/verify.h"

#include <set>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "common/base/split_mix.h"
#include "operations/audit/audited_tables.h"

namespace fanfold::operations {
namespace {

// Every user who has a count, or where nothing is counted a row, in any table, as likely as any
// other (reservoir sampling: Vitter, Random Sampling with a Reservoir, 1985, algorithm R).
class Reservoir {
 public:
  explicit Reservoir(std::size_t size) : size_(size), random_(RandomBits()) {}

  void Offer(UserId user) {
    ++offered_;
    if (users_.size() < size_) {
      users_.push_back(user);
    } else if (const std::uint64_t place = random_.Below(offered_); place < size_) {
      users_[place] = user;
    }
  }
  [[nodiscard]] std::set<UserId> Users() const { return {users_.begin(), users_.end()}; }

 private:
  const std::size_t size_;
  SplitMix64 random_;
  std::uint64_t offered_ = 0;
  std::vector<UserId> users_;
};

// At most kRowsMax users behind `after`, who may come twice where there are no counts.
Result<std::vector<UserId>> UsersBehind(TableSnapshot& snapshot, Projection projection,
                                        Generation generation, UserId after) {
  constexpr UserId kLast(kUserIdMax);
  std::vector<UserId> users;
  if (projection.has_counts()) {
    const auto page =
        snapshot.Counts(projection, generation, after, kLast, TableSnapshot::kRowsMax);
    if (!page) return std::unexpected(page.error());
    for (const UserCount& count : *page) users.push_back(count.user);
    return users;
  }
  const auto page =
      snapshot.Rows(projection, generation, RowKey{after, kLast}, kLast, TableSnapshot::kRowsMax);
  if (!page) return std::unexpected(page.error());
  for (const RowImage& row : *page) users.push_back(row.key.user);
  return users;
}

Status OfferAll(TableSnapshot& snapshot, Projection projection, Generation generation,
                projector::ScanPace& pace, Reservoir& reservoir) {
  UserId after(0);
  while (true) {
    const Result<std::vector<UserId>> page = UsersBehind(snapshot, projection, generation, after);
    if (!page) return std::unexpected(page.error());
    if (!pace.Read(std::ssize(*page))) return Fail(ErrorCode::kTimeout, "stopped");
    for (const UserId user : *page) reservoir.Offer(user);
    if (page->size() < TableSnapshot::kRowsMax) return {};
    after = page->back();
  }
}

Result<projector::VerifyReport> VerifySample(Context& context, const AuditedTables& tables,
                                             std::size_t size, ToldPace& pace) {
  Reservoir reservoir(size);
  const auto& [placement, read, inboxes] = tables.deployment;
  for (std::int32_t shard = 0; shard < placement.shards(); ++shard) {
    Result<std::unique_ptr<TableSnapshot>> snapshot = context.backend.OpenSnapshot(Shard(shard));
    if (!snapshot) return Forward(snapshot);
    for (const Projection projection : Projection::All()) {
      Status offered = OfferAll(**snapshot, projection, read[projection], pace, reservoir);
      if (!offered) return Forward(offered);
    }
  }
  return VerifyUsers(context, tables, pace, reservoir.Users());
}

}  // namespace

Result<projector::VerifyReport> Verify(Context& context, const VerifyOptions& options) {
  const Result<AuditedTables> tables = OpenAudited(context);
  if (!tables) return std::unexpected(tables.error());
  ToldPace pace(context, options.rows_per_second);
  return options.sample == 0 ? VerifyAll(context, *tables, pace)
                             : VerifySample(context, *tables, options.sample, pace);
}

}  // namespace fanfold::operations
