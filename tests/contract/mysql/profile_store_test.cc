#include "tests/contract/mysql/mysql_tables.h"
#include "tests/contract/profile_store_contract.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, ProfileStoreContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables},
                                           TablesFactory{"sent_files", MakeMysqlTablesBySentFiles}),
                         ::testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Mysql, ErasureContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables},
                                           TablesFactory{"sent_files", MakeMysqlTablesBySentFiles}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
