#include "tests/contract/mysql/mysql_tables.h"
#include "tests/contract/projection_store_contract.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, ProjectionStoreContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables},
                                           TablesFactory{"sent_files", MakeMysqlTablesBySentFiles}),
                         ::testing::PrintToStringParamName());

// How many statements of a kind the server has had from whomever.
std::int64_t Had(mysql::Connection& connection, const std::string& kind) {
  return Must(connection.Run([&] {
    mysql::Rows rows = connection.Query(
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '" +
        kind + "'");
    return rows.Next() ? rows.I64(0) : -1;
  }));
}

Status CommitNewest(MysqlTables& tables) {
  const auto store = tables.NewStore();
  ClaimedLane lane = ClaimOne(*store, FollowingLane(0));
  StoreBatch batch = BatchOf(lane, 1, {Row(1, 20, true, 500, 1)});
  batch.edges_are_newest = true;
  Status committed = store->Commit(batch);
  EXPECT_EQ(LoadedEdge(*store, 1, 20), (Edge{true, 500, Version(1)}));
  return committed;
}

TEST(SentFiles, AreUsedWhereTheServerTakesThem) {
  MysqlTables tables(MysqlOptions{.sends_files = true});
  const auto connection = tables.Connect();
  const auto take = [&](const char* value) {
    ASSERT_TRUE(connection->Run(
        [&] { connection->Execute(std::string("SET GLOBAL local_infile = ") + value); }));
  };
  const std::int64_t before = Had(*connection, "COM_LOAD");
  ASSERT_TRUE(CommitNewest(tables));
  EXPECT_GT(Had(*connection, "COM_LOAD"), before);
  take("0");
  MysqlTables others(MysqlOptions{.sends_files = true});
  const Status without = CommitNewest(others);
  take("1");
  EXPECT_TRUE(without) << without.error().message;
}

}  // namespace fanfold::testing
