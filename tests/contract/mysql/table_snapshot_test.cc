#include "tests/contract/mysql/mysql_tables.h"
#include "tests/contract/table_snapshot_contract.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, TableSnapshotContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
