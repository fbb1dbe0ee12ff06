#include "tests/contract/sqlite/sqlite_tables.h"
#include "tests/contract/table_operations_contract.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Sqlite, TableOperationsContract,
                         ::testing::Values(TablesFactory{"file", Make<SqliteTablesFile>},
                                           TablesFactory{"memory", Make<SqliteTablesInMemory>}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
