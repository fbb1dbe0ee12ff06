// The table of profiles, as rows of a projection.
#pragma once

#include <memory>

#include "common/sqlite/row_tables.h"

namespace fanfold::sqlite {

[[nodiscard]] std::unique_ptr<const RowTables> NewProfileTables(Projection projection);

}  // namespace fanfold::sqlite
