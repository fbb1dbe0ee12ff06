#pragma once

#include <memory>
#include <string>

#include "common/sqlite/row_tables.h"

namespace fanfold::sqlite {

[[nodiscard]] std::unique_ptr<const RowTables> NewPostTables(Projection projection);

// Statements of the table of that name, for their plans.
// A post's head.
[[nodiscard]] std::string SelectPostText(const std::string& table);

}  // namespace fanfold::sqlite
