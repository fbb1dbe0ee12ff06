#pragma once

#include <memory>

#include "common/sqlite/row_tables.h"

namespace fanfold::sqlite {

[[nodiscard]] std::unique_ptr<const RowTables> NewFeedTables(Projection projection);

}  // namespace fanfold::sqlite
