#include "tests/contract/sqlite/sqlite_tables.h"
#include "tests/contract/table_snapshot_contract.h"

namespace fanfold::testing {

// Connections to one database in memory wait for each other's transactions: a moment held there
// holds up whoever writes.
INSTANTIATE_TEST_SUITE_P(Sqlite, TableSnapshotContract,
                         ::testing::Values(TablesFactory{"file", Make<SqliteTablesFile>}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
