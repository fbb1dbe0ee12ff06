#include "tests/contract/inbox_store_contract.h"
#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, InboxStoreContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
