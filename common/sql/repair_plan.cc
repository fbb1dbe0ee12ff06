#include "common/sql/repair_plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/base/check.h"
#include "common/ports/row_kinds.h"

namespace fanfold {

RepairPlan PlanRows(const RepairScope& scope, std::span<const RowState> now,
                    std::span<const RowToBe> to_be) {
  FANFOLD_CHECK(now.size() == scope.rows.size() && to_be.size() == scope.rows.size(),
                "a repair folds the rows it was asked for");
  const RowKind& kind = KindOf(scope.projection);
  RepairPlan plan;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const RowState& to = to_be[i].state;
    if (now[i] == to) continue;
    const RowKey& key = scope.rows[i];
    plan.deltas[key.user] += (kind.is_counted(to) ? 1 : 0) - (kind.is_counted(now[i]) ? 1 : 0);
    if (SaysNothing(to)) {
      plan.deletions.push_back(key);
    } else {
      plan.rows.push_back({key, to_be[i]});
    }
    plan.records.push_back({key.user, key.other,
                            fmt::format("{} -> {}", Describe(scope.projection, now[i]),
                                        Describe(scope.projection, to))});
  }
  return plan;
}

std::vector<CountNow> CountsBy(const RepairScope& scope, const RepairBase& base,
                               const RepairPlan& plan,
                               std::span<const std::optional<EdgeCount>> rows) {
  const auto said = [](const std::optional<EdgeCount>& row) {
    return row.value_or(EdgeCount(0)).value;
  };
  std::vector<CountNow> counts;
  for (std::size_t i = 0; i < base.users.size(); ++i) {
    const CountedUser& then = base.users[i];
    const auto delta = plan.deltas.find(scope.users[i]);
    const std::int64_t active = then.active.value + said(rows[i]) - said(then.count) +
                                (delta != plan.deltas.end() ? delta->second : 0);
    counts.push_back({scope.users[i], rows[i], EdgeCount(active)});
  }
  return counts;
}

std::vector<CountNow> WrongCounts(std::span<const CountNow> counts) {
  std::vector<CountNow> wrong;
  std::ranges::copy_if(counts, std::back_inserter(wrong), [](const CountNow& count) {
    return count.row.value_or(EdgeCount(0)) != count.active;
  });
  return wrong;
}

RepairRecord RecordOf(const CountNow& wrong) {
  return {wrong.user, UserId(0),
          fmt::format("count {} -> {}",
                      wrong.row ? std::to_string(wrong.row->value) : std::string("missing"),
                      wrong.active.value)};
}

RepairDone DoneBy(std::uint64_t mark, const RepairPlan& plan,
                  std::span<const CountNow> wrong_counts) {
  RepairDone done{mark, plan.deletions, {}};
  for (const RowWrite& row : plan.rows) done.rows.push_back(row.key);
  std::ranges::sort(done.rows);
  for (const CountNow& count : wrong_counts) done.counts.push_back(count.user);
  return done;
}

}  // namespace fanfold
