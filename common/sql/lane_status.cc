#include "common/sql/lane_status.h"

#include <algorithm>
#include <utility>

namespace fanfold {

LaneStatus StatusOf(LaneRow row) {
  return {row.lane,
          row.deciding,
          row.state,
          std::move(row.state_reason),
          std::move(row.owner),
          row.fence.epoch,
          row.progress,
          row.updated_ms,
          /*loading=*/false,
          {},
          row.folded_offset};
}

std::vector<LaneStatus> StatusesOf(std::span<const LaneRow> rows, Projection projection,
                                   Generation generation) {
  std::vector<LaneStatus> lanes;
  for (const LaneRow& row : rows) {
    const bool asked = row.lane.projection == projection && row.lane.generation == generation;
    if (asked) lanes.push_back(StatusOf(row));
  }
  return lanes;
}

bool IsInScope(const RepairScope& scope, const LaneId& lane) {
  return lane.projection == scope.projection && lane.generation == scope.generation &&
         std::ranges::find(scope.partitions, lane.partition) != scope.partitions.end();
}

}  // namespace fanfold
