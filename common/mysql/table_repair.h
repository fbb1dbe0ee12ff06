// The statements of an operator's transactions: whole lanes, rows as the topics say them, counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/mysql/connection.h"
#include "common/ports/table_operations.h"
#include "common/sql/lane_row.h"

namespace fanfold::mysql {

// Role, state, progress and fence as `lane` has them.
[[nodiscard]] std::string WriteLane(const LaneRow& lane);
[[nodiscard]] std::string DeleteParked(Projection projection, Partition partition, Offset offset);

// Within a transaction of the caller's, which commits when something was changed.
[[nodiscard]] RepairDone RepairRows(Connection& connection, const RepairScope& scope,
                                    const RepairBase& base, const FoldAgain& fold);

}  // namespace fanfold::mysql
