// The edge and count tables, as rows of a projection.
#pragma once

#include <memory>

#include "common/sqlite/row_tables.h"

namespace fanfold::sqlite {

// Requires: a projection of edges.
[[nodiscard]] std::unique_ptr<const RowTables> NewEdgeTables(Projection projection);

}  // namespace fanfold::sqlite
