// An operator's transactions. Calls throw Failure.
#pragma once

#include <cstdint>

#include "common/ports/table_operations.h"
#include "common/sql/lane_row.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

// Role, state, progress and fence as `lane` has them.
void WriteLane(Connection& connection, const LaneRow& lane, std::int64_t now_ms);

// Within a transaction of the caller's that writes; it commits when something was changed.
[[nodiscard]] RepairDone RepairRows(Connection& connection, const RepairScope& scope,
                                    const RepairBase& base, const FoldAgain& fold,
                                    std::int64_t now_ms);

}  // namespace fanfold::sqlite
