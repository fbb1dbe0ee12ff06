#include "tests/contract/projection_reader_contract.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Sqlite, ProjectionReaderContract,
                         ::testing::Values(TablesFactory{"file", Make<SqliteTablesFile>},
                                           TablesFactory{"memory", Make<SqliteTablesInMemory>}),
                         ::testing::PrintToStringParamName());

}  // namespace fanfold::testing
