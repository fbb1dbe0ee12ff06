// The edge and count tables, as rows of a projection.
#pragma once

#include <memory>

#include "common/mysql/row_tables.h"

namespace fanfold::mysql {

// Requires: a projection of edges. `connection` outlives it.
[[nodiscard]] std::unique_ptr<RowTables> NewEdgeTables(Projection projection,
                                                       Connection& connection);

}  // namespace fanfold::mysql
