#include "common/mysql/migrations.h"

#include <fmt/format.h>
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
  const auto migrated = Migrate(tables.dsn(), Shard(0), {16, 1});
  EXPECT_TRUE(migrated) << migrated.error().message;
}

TEST(Migrations, SeveralAtOnceAreFine) {
  MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run([&] {
    connection->Execute(
        "DROP TABLE schema_migrations, progress, outbox, catalog, schema_identity, following_g1");
  }));
  std::vector<Result<DeploymentId>> results(4, Fail(ErrorCode::kInternal, ""));
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] { result = Migrate(tables.dsn(), Shard(0), {16, 1}); });
    }
  }
  for (const auto& result : results) {
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(*result, *results.front());
  }
  EXPECT_EQ(Must(tables.NewReader()->ReadCatalog()).shape.partitions, 16);
}

TEST(Migrations, OtherPartitionsOrShardsAreRefusedNamingBoth) {
  const MysqlTables tables;
  for (const Shape& seed : {Shape{32, 1}, Shape{16, 2}}) {
    const auto status = Migrate(tables.dsn(), Shard(0), seed);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kRefused);
    EXPECT_NE(status.error().message.find("16 partitions on 1 shards"), std::string::npos);
  }
}

TEST(Migrations, ShardZerosSchemaIsNoOtherShards) {
  const MysqlTables tables;
  EXPECT_EQ(Migrate(tables.dsn(), Shard(1), {16, 1}).error().code, ErrorCode::kRefused);
}

TEST(Migrations, MigrationOfALaterBuildIsRefused) {
  const MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run(
      [&] { connection->Execute("INSERT INTO schema_migrations (name) VALUES ('9999_later')"); }));
  EXPECT_EQ(Migrate(tables.dsn(), Shard(0), {16, 1}).error().code, ErrorCode::kRefused);
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

// Tables as the releases before the names left them, of which the first two are done.
TEST(Migrations, NamesOfProjectionsThatWereCutShortGoOn) {
  MysqlTables tables;
  const auto store = tables.NewStore();
  TakeOne(*store, FollowingLane(3));
  TakeOne(*store, FansLane(3), kApplying);
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run([&] {
    connection->Execute("DELETE FROM generations WHERE projection NOT IN ('following', 'fans')");
    for (const char* table : {"parked", "repairs", "generations", "rebuild_loads"}) {
      connection->Execute(fmt::format(
          "ALTER TABLE {} MODIFY projection ENUM('following', 'fans') CHARACTER SET ascii "
          "COLLATE ascii_bin NOT NULL",
          table));
    }
    connection->Execute("DELETE FROM schema_migrations WHERE name LIKE '0007%'");
  }));
  ASSERT_TRUE(Migrate(tables.dsn(), Shard(0), {16, 1}));
  ASSERT_TRUE(connection->Run([&] {
    auto rows = connection->Query(
        "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND "
        "column_name = 'projection' AND column_type = 'varchar(32)' AND is_nullable = 'NO' AND "
        "collation_name = 'ascii_bin'");
    ASSERT_TRUE(rows.Next());
    EXPECT_EQ(rows.I32(0), 7);
  }));
  const auto lanes = Must(tables.NewReader()->Lanes());
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].lane, FollowingLane(3)) << "the registry's order, not the alphabet's";
  const auto generations = Must(tables.NewGenerations()->List());
  ASSERT_EQ(generations.size(), 2U);
  EXPECT_EQ(generations[0].projection, projections::kFollowing);
}

// The catalog's own columns, as releases before the rows have them.
TEST(Migrations, GenerationsThatAreReadBecomeRowsAndStayColumns) {
  MysqlTables tables;
  auto connection = tables.Connect();
  ASSERT_TRUE(connection->Run([&] {
    connection->Execute("UPDATE catalog SET following_generation = 3, fans_generation = 2");
    connection->Execute("DROP TABLE catalog_reads");
    connection->Execute("DELETE FROM schema_migrations WHERE name LIKE '0008%'");
  }));
  ASSERT_TRUE(Migrate(tables.dsn(), Shard(0), {16, 1}));
  EXPECT_EQ(Must(tables.NewReader()->ReadCatalog()).read,
            (ReadGenerations{Generation(3), Generation(2)}));
  const auto generations = tables.NewGenerations();
  ASSERT_TRUE(generations->Hold(projections::kFans));
  ASSERT_TRUE(generations->Read(projections::kFans, Generation(1)));
  ASSERT_TRUE(connection->Run([&] {
    auto rows = connection->Query("SELECT following_generation, fans_generation FROM catalog");
    ASSERT_TRUE(rows.Next());
    EXPECT_EQ(rows.I32(0), 3);
    EXPECT_EQ(rows.I32(1), 1);
  }));
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
