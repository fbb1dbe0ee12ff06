// What a projection's rows are to this database: here a new kind of rows is entered.
#pragma once

#include <memory>

#include "common/ports/lane_store.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/sqlite_tables.h"

namespace fanfold::sqlite {

[[nodiscard]] std::unique_ptr<RowStore> OpenRows(std::shared_ptr<SqliteTables> tables,
                                                 Projection projection, Generation generation);
// What a batch writes, in its transaction. Throws Failure.
void WriteRows(Connection& connection, const LaneBatch& batch);

}  // namespace fanfold::sqlite
