#include "tests/contract/mysql/mysql_tables.h"
#include "tests/contract/table_operations_contract.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, TableOperationsContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
