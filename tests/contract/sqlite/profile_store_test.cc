#include "tests/contract/profile_store_contract.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Sqlite, ProfileStoreContract,
                         ::testing::Values(TablesFactory{"file", Make<SqliteTablesFile>},
                                           TablesFactory{"memory", Make<SqliteTablesInMemory>}),
                         ::testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Sqlite, ErasureContract,
                         ::testing::Values(TablesFactory{"file", Make<SqliteTablesFile>},
                                           TablesFactory{"memory", Make<SqliteTablesInMemory>}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
