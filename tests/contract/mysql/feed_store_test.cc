#include "tests/contract/mysql/mysql_tables.h"
#include "tests/contract/feed_store_contract.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, FeedStoreContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
