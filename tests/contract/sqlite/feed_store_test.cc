#include "tests/contract/feed_store_contract.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Sqlite, FeedStoreContract,
                         ::testing::Values(TablesFactory{"file", Make<SqliteTablesFile>},
                                           TablesFactory{"memory", Make<SqliteTablesInMemory>}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
