#pragma once

#include <memory>

#include "common/mysql/row_tables.h"

namespace fanfold::mysql {

[[nodiscard]] std::unique_ptr<RowTables> NewPostTables(Projection projection,
                                                       Connection& connection);

}  // namespace fanfold::mysql
