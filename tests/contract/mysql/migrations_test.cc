#include "common/mysql/migrations.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {
namespace {

TEST(Migrations, RunningThemAgainChangesNothing) {
  const MysqlTables tables;
  EXPECT_TRUE(Migrate(tables.dsn(), Shard(0), {16, 1}));
}

TEST(Migrations, OneThatWasCutShortStartsOver) {
  MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run([&] { connection->Execute("DELETE FROM schema_migrations"); }));
  const Status migrated = Migrate(tables.dsn(), Shard(0), {16, 1});
  EXPECT_TRUE(migrated) << migrated.error().message;
}

TEST(Migrations, SeveralAtOnceAreFine) {
  MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run([&] {
    connection->Execute("DROP TABLE schema_migrations, progress, outbox, catalog, following_g1");
  }));
  std::vector<Status> results(4);
  {
    std::vector<std::jthread> threads;
    for (Status& result : results) {
      threads.emplace_back([&] { result = Migrate(tables.dsn(), Shard(0), {16, 1}); });
    }
  }
  for (const Status& result : results) EXPECT_TRUE(result) << result.error().message;
  EXPECT_EQ(Must(tables.NewReader()->ReadCatalog()).partitions, 16);
}

TEST(Migrations, OtherPartitionsOrShardsAreRefusedNamingBoth) {
  const MysqlTables tables;
  for (const CatalogSeed seed : {CatalogSeed{32, 1}, CatalogSeed{16, 2}}) {
    const Status status = Migrate(tables.dsn(), Shard(0), seed);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kRefused);
    EXPECT_NE(status.error().message.find("16 partitions on 1 shards"), std::string::npos);
  }
}

TEST(Migrations, ShardZerosSchemaIsNoOtherShards) {
  const MysqlTables tables;
  EXPECT_EQ(CodeName(Migrate(tables.dsn(), Shard(1), {16, 1})), ToString(ErrorCode::kRefused));
}

TEST(Migrations, MigrationOfALaterBuildIsRefused) {
  const MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run(
      [&] { connection->Execute("INSERT INTO schema_migrations (name) VALUES ('9999_later')"); }));
  EXPECT_EQ(CodeName(Migrate(tables.dsn(), Shard(0), {16, 1})), ToString(ErrorCode::kRefused));
}

// As a build before the check has left it.
TEST(Migrations, LaneWithMorePublishedThanDecidedHaltsAndLooksForItsOutcomesAgain) {
  MysqlTables tables;
  const auto store = tables.NewStore();
  TakenLane lane = TakeOne(*store, FollowingLane(3));
  const TakenLane other = TakeOne(*store, FollowingLane(4));
  CommitAndFollow(*store, lane, BatchOf(lane, 10));
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run([&] {
    connection->Execute("ALTER TABLE progress DROP CONSTRAINT progress_published");
    connection->Execute(
        "UPDATE progress SET published_offset = 13, outcome_offset = 14 WHERE `partition` = 3");
    connection->Execute("DELETE FROM schema_migrations WHERE name LIKE '0006%'");
  }));
  ASSERT_TRUE(Migrate(tables.dsn(), Shard(0), {16, 1}));
  ExpectPublishedAhead(tables, lane, other);
}

TEST(Migrations, NoMoreIsPublishedThanDecided) {
  MysqlTables tables;
  TakeOne(*tables.NewStore(), FollowingLane(3));
  auto connection = tables.Connect();
  EXPECT_FALSE(connection->Run(
      [&] { connection->Execute("UPDATE progress SET published_offset = event_offset + 1"); }));
}

// Killed between the check and the note that it is there.
TEST(Migrations, CheckIsAddedOnce) {
  const MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run(
      [&] { connection->Execute("DELETE FROM schema_migrations WHERE name LIKE '0006%'"); }));
  EXPECT_TRUE(Migrate(tables.dsn(), Shard(0), {16, 1}));
}

}  // namespace
}  // namespace fanfold::testing
