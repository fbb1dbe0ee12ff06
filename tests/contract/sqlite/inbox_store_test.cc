#include "tests/contract/inbox_store_contract.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Sqlite, InboxStoreContract,
                         ::testing::Values(TablesFactory{"file", Make<SqliteTablesFile>},
                                           TablesFactory{"memory", Make<SqliteTablesInMemory>}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
