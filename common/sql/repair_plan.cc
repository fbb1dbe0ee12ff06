#include "common/sql/repair_plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/base/check.h"

namespace fanfold {

RepairPlan PlanRows(const RepairScope& scope, std::span<const Edge> now,
                    std::span<const Edge> to_be) {
  FANFOLD_CHECK(now.size() == scope.edges.size() && to_be.size() == scope.edges.size(),
                "a repair folds the edges it was asked for");
  RepairPlan plan;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == to_be[i]) continue;
    const EdgeKey& key = scope.edges[i];
    plan.deltas[key.user] += (to_be[i].active ? 1 : 0) - (now[i].active ? 1 : 0);
    if (to_be[i].version == Version(0)) {
      plan.deletions.push_back(key);
    } else {
      plan.rows.push_back({key, to_be[i]});
    }
    plan.records.push_back(
        {key.user, key.other, fmt::format("{} -> {}", Describe(now[i]), Describe(to_be[i]))});
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
  for (std::size_t i = 0; i < scope.users.size(); ++i) {
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
  for (const EdgeRow& row : plan.rows) done.edges.push_back(row.key);
  std::ranges::sort(done.edges);
  for (const CountNow& count : wrong_counts) done.counts.push_back(count.user);
  return done;
}

}  // namespace fanfold
