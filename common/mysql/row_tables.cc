#include "common/mysql/row_tables.h"

#include "common/mysql/edge_tables.h"

namespace fanfold::mysql {

std::unique_ptr<RowTables> NewRowTables(Projection projection, Connection& connection) {
  return NewEdgeTables(projection, connection);
}

}  // namespace fanfold::mysql
