// A repair as every database runs it, within a transaction of the adapter's that commits when
// something was changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "common/sql/failure.h"
#include "common/sql/lane_orders.h"
#include "common/sql/lane_status.h"
#include "common/sql/repair_plan.h"

namespace fanfold {

// Lanes without anything but their names, for an adapter to give them their outbox.
[[nodiscard]] std::vector<TakenLane> LanesFenced(const RepairScope& scope);
[[nodiscard]] std::vector<OutboxRow> OutboxOf(std::vector<TakenLane> lanes);

// `Tables` locks and reads the lanes of the shard (LockLanes), fills in the lanes' outbox
// (ReadOutbox), reads and writes the rows and counts of the scope's tables (StatesNow, WriteRows,
// CountsNow, WriteCounts), says whether a repair above a mark was of the scope's users
// (RepairedSince), adds the records of the repair under a mark above all others (AddRecords, which
// returns it), and writes a lane (Write). Throws Failure.
template <class Tables>
[[nodiscard]] RepairDone RunRepair(Tables& tables, const RepairScope& scope, const RepairBase& base,
                                   const FoldAgain& fold) {
  const std::vector<LaneRow> lanes = tables.LockLanes();
  const std::vector<RowState> now = tables.StatesNow(scope.rows);
  // A lane that moved one of them may have moved its count by another row than was there.
  if (now != base.rows || tables.RepairedSince(base.mark, scope)) {
    throw Failure(ErrorCode::kConflict, "what is to be repaired has changed since it was counted");
  }
  std::vector<TakenLane> fenced = LanesFenced(scope);
  tables.ReadOutbox(fenced);
  const RepairView view{StatusesOf(lanes, scope.projection, scope.generation),
                        OutboxOf(std::move(fenced))};
  const Result<std::vector<RowToBe>> to_be = fold(view);
  if (!to_be) throw Failure(to_be.error().code, to_be.error().message);
  RepairPlan plan = PlanRows(scope, now, *to_be);
  tables.WriteRows(plan);
  std::vector<CountNow> wrong;
  if (scope.projection.has_counts()) {
    wrong = WrongCounts(CountsBy(scope, base, plan, tables.CountsNow(scope.users)));
  }
  for (const CountNow& count : wrong) plan.records.push_back(RecordOf(count));
  if (plan.records.empty()) return {};
  tables.WriteCounts(wrong);
  const std::uint64_t mark = tables.AddRecords(scope, plan.records);
  for (const LaneRow& lane : lanes) {
    if (IsInScope(scope, lane.lane)) tables.Write(Fenced(lane));
  }
  return DoneBy(mark, plan, wrong);
}

}  // namespace fanfold
