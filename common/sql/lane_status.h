// Lanes as those outside the adapters see them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/ports/table_operations.h"
#include "common/sql/lane_row.h"

namespace fanfold {

// Columns behind kLaneColumns, for `progress l`: is the lane's generation being loaded, how far has
// that come, and which slot map has it?
inline constexpr std::string_view kLoadColumns =
    "(SELECT g.state = 'loading' FROM generations g WHERE g.projection = l.projection AND "
    "g.generation = l.generation), "
    "(SELECT r.done FROM rebuild_loads r WHERE r.projection = l.projection AND "
    "r.generation = l.generation), "
    "(SELECT r.total FROM rebuild_loads r WHERE r.projection = l.projection AND "
    "r.generation = l.generation), "
    "(SELECT g.slot_map FROM generations g WHERE g.projection = l.projection AND "
    "g.generation = l.generation)";

inline constexpr int kLaneStatusColumns = kLaneColumnCount + 4;  // of both

[[nodiscard]] LaneStatus StatusOf(LaneRow row);
// From a row of kLaneColumns and kLoadColumns.
template <class Rows>
[[nodiscard]] LaneStatus ReadLaneStatus(const Rows& rows) {
  LaneStatus status = StatusOf(ReadLaneRow(rows));
  constexpr int kLoading = kLaneColumnCount;
  status.loading = rows.I32(kLoading) != 0;
  if (status.loading && !rows.IsNull(kLoading + 1)) {
    status.load = {rows.I64(kLoading + 1), rows.I64(kLoading + 2)};
  }
  if (!rows.IsNull(kLoading + 3)) status.slot_map = SlotMapId(rows.I32(kLoading + 3));
  return status;
}

// The lanes of one projection and generation.
[[nodiscard]] std::vector<LaneStatus> StatusesOf(std::span<const LaneRow> rows,
                                                 Projection projection, Generation generation);

// Is it a lane that this repair fences?
[[nodiscard]] bool IsInScope(const RepairScope& scope, const LaneId& lane);

}  // namespace fanfold
