#include "tests/contract/edge_store_contract.h"
#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {

INSTANTIATE_TEST_SUITE_P(Mysql, EdgeStoreContract,
                         ::testing::Values(TablesFactory{"mysql", MakeMysqlTables},
                                           TablesFactory{"sent_files", MakeMysqlTablesBySentFiles}),
                         ::testing::PrintToStringParamName());

// How many statements of a kind the server has had from whomever.
std::int64_t Had(mysql::Connection& connection, const std::string& kind) {
  return Must(connection.Run([&] {
    mysql::Rows rows = connection.Query("SHOW GLOBAL STATUS LIKE '" + kind + "'");
    return rows.Next() ? rows.I64(1) : -1;
  }));
}

TEST(SentFiles, AreUsedWhereTheServerTakesThem) {
  MysqlTables tables(MysqlOptions{.sends_files = true});
  const auto connection = tables.Connect();
  const std::int64_t before = Had(*connection, "Com_load");
  const auto store = tables.NewStore();
  const TakenLane lane = TakeOne(*store, FollowingLane(0));
  EdgeBatch batch = BatchOf(lane, 1, {Row(1, 20, true, 500, 1)});
  batch.edges_are_newest = true;
  ASSERT_TRUE(store->Commit(batch));
  EXPECT_EQ(LoadedEdge(*store, 1, 20), (Edge{true, 500, Version(1)}));
  EXPECT_GT(Had(*connection, "Com_load"), before);
}

}  // namespace fanfold::testing
