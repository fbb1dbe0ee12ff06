#include "common/mysql/row_tables.h"

#include "common/mysql/edge_tables.h"

namespace fanfold::mysql {

namespace {

using Make = std::unique_ptr<RowTables> (*)(Projection, Connection&);
constexpr auto kKinds = [] {
  PerProjection<Make> kinds;
  kinds[projections::kFollowing] = NewEdgeTables;
  kinds[projections::kFans] = NewEdgeTables;
  return kinds;
}();
static_assert(kKinds.IsComplete());

}  // namespace

std::unique_ptr<RowTables> NewRowTables(Projection projection, Connection& connection) {
  return kKinds[projection](projection, connection);
}

}  // namespace fanfold::mysql
