#include "common/ports/repair_base.h"

#include <optional>
#include <utility>
#include <vector>

namespace fanfold {
namespace {

// The key before it in the order of keys, whose users begin at 1.
RowKey Before(const RowKey& key) {
  if (key.other == UserId(0)) return {UserId(key.user.value - 1), UserId(kUserIdMax)};
  return {key.user, UserId(key.other.value - 1)};
}

Result<RowState> StateOf(TableSnapshot& snapshot, const RepairScope& scope, const RowKey& key) {
  const Result<std::vector<RowImage>> rows =
      snapshot.Rows(scope.projection, scope.generation, Before(key), key.user, 1);
  if (!rows) return std::unexpected(rows.error());
  return !rows->empty() && rows->front().key == key ? rows->front().state : RowState();
}

Result<EdgeCount> ActiveRows(TableSnapshot& snapshot, const RepairScope& scope, UserId user,
                             const std::function<bool()>& goes_on, std::size_t tally_rows) {
  std::int64_t active = 0;
  UserId after(0);
  while (true) {
    if (!goes_on()) return Fail(ErrorCode::kTimeout, "stopped");
    const Result<RowTally> tally =
        snapshot.Tally(scope.projection, scope.generation, user, after, tally_rows);
    if (!tally) return std::unexpected(tally.error());
    active += tally->active;
    if (tally->rows < tally_rows) return EdgeCount(active);
    after = tally->last_other;
  }
}

Result<std::optional<EdgeCount>> CountOf(TableSnapshot& snapshot, const RepairScope& scope,
                                         UserId user) {
  const Result<std::vector<UserCount>> counts =
      snapshot.Counts(scope.projection, scope.generation, UserId(user.value - 1), user, 1);
  if (!counts) return std::unexpected(counts.error());
  return counts->empty() ? std::nullopt : std::optional(counts->front().count);
}

}  // namespace

Result<RepairBase> ReadRepairBase(TableSnapshot& snapshot, const RepairScope& scope,
                                  const std::function<bool()>& goes_on, std::size_t tally_rows) {
  RepairBase base;
  const Result<std::uint64_t> mark = snapshot.LastRepair();
  if (!mark) return std::unexpected(mark.error());
  base.mark = *mark;
  for (const RowKey& key : scope.rows) {
    const Result<RowState> state = StateOf(snapshot, scope, key);
    if (!state) return std::unexpected(state.error());
    base.rows.push_back(*state);
  }
  if (!scope.projection.has_counts()) return base;
  for (const UserId user : scope.users) {
    const Result<EdgeCount> active = ActiveRows(snapshot, scope, user, goes_on, tally_rows);
    if (!active) return std::unexpected(active.error());
    const Result<std::optional<EdgeCount>> count = CountOf(snapshot, scope, user);
    if (!count) return std::unexpected(count.error());
    base.users.push_back({*count, *active});
  }
  return base;
}

}  // namespace fanfold
