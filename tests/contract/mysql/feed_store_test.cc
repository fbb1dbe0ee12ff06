#include "tests/contract/feed_store_contract.h"
#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, FeedStoreContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
