// The table of feed state, as rows of a projection.
#pragma once

#include <memory>

#include "common/mysql/row_tables.h"

namespace fanfold::mysql {

// `connection` outlives it.
[[nodiscard]] std::unique_ptr<RowTables> NewFeedTables(Projection projection,
                                                       Connection& connection);

}  // namespace fanfold::mysql
