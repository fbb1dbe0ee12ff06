// Reads what a repair starts from while lanes go on.
#pragma once

#include <cstddef>
#include <functional>

#include "common/base/result.h"
#include "common/ports/table_operations.h"
#include "common/ports/table_snapshot.h"

namespace fanfold {

// A user's rows are counted `tally_rows` at a time; before each piece, `goes_on` may end it.
// Errors: the snapshot's; kTimeout, it was ended.
[[nodiscard]] Result<RepairBase> ReadRepairBase(
    TableSnapshot& snapshot, const RepairScope& scope, const std::function<bool()>& goes_on,
    std::size_t tally_rows = TableSnapshot::kTallyRowsMax);

}  // namespace fanfold
