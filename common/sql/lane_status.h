// Lanes as those outside the adapters see them.
#pragma once

#include <span>
#include <vector>

#include "common/ports/table_operations.h"
#include "common/sql/lane_row.h"

namespace fanfold {

[[nodiscard]] LaneStatus StatusOf(LaneRow row);

// Those of one projection and generation.
[[nodiscard]] std::vector<LaneStatus> StatusesOf(std::span<const LaneRow> rows,
                                                 ProjectionKind projection, Generation generation);

// Is it a lane that this repair fences?
[[nodiscard]] bool IsInScope(const RepairScope& scope, const LaneId& lane);

}  // namespace fanfold
