#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/sql/failure.h"
#include "common/sql/sql_splitter.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/migration_texts.h"
#include "common/sqlite/schema_identity.h"
#include "tests/contract/sqlite/sqlite_tables.h"

namespace fanfold::testing {
namespace {

using ::testing::HasSubstr;

class SqliteMigrations : public ::testing::Test {
 protected:
  Status OpenAgain(Shard shard, const Shape& seed) {
    const auto opened = OpenSqliteTables(tables_.path(), shard, seed, clock_);
    if (!opened) return std::unexpected(opened.error());
    return {};
  }

  SystemClock clock_;
  SqliteTablesFile tables_;
};

TEST_F(SqliteMigrations, OpeningAgainChangesNothing) {
  TakeOne(*tables_.NewStore(), FollowingLane(0));
  EXPECT_TRUE(OpenAgain(Shard(0), {16, 1}));
  EXPECT_EQ(Must(tables_.NewReader()->Lanes()).size(), 1U);
}

TEST_F(SqliteMigrations, OtherPartitionsOrShardsAreRefusedNamingBoth) {
  for (const Shape& seed : {Shape{32, 1}, Shape{16, 2}}) {
    const Status status = OpenAgain(Shard(0), seed);
    EXPECT_EQ(CodeName(status), ToString(ErrorCode::kRefused));
    EXPECT_THAT(status.error().message, HasSubstr("16 partitions on 1 shards"));
  }
}

TEST_F(SqliteMigrations, ShardZerosFileIsNoOtherShards) {
  EXPECT_EQ(CodeName(OpenAgain(Shard(1), {16, 1})), ToString(ErrorCode::kRefused));
}

TEST_F(SqliteMigrations, OtherShardsHaveNoCatalog) {
  const MemoryDatabase memory;
  const auto second = Must(OpenSqliteTables(memory.path(), Shard(1), {16, 2}, clock_));
  EXPECT_EQ(Must(NewSqliteProjectionReader(second))->ReadCatalog().error().code,
            ErrorCode::kRefused);
}

TEST_F(SqliteMigrations, TablesSayWhoseTheyAreAndStayIt) {
  const auto open = [&](const SqliteTablesOptions& options) {
    return OpenSqliteTables(tables_.path(), Shard(0), {16, 1}, clock_, options);
  };
  const auto tables = Must(open({}));
  const auto says = Must(ReadSqliteIdentity(*tables));
  ASSERT_TRUE(says);
  EXPECT_EQ(*says, (SchemaIdentity{says->deployment, std::nullopt, Shard(0), {16, 1}}));
  const DeploymentId other = DeploymentId::Draw();
  EXPECT_EQ(open({.deployment = other}).error().code, ErrorCode::kRefused);
  ASSERT_TRUE(RenewSqliteIdentity(*tables, says->deployment, other));
  EXPECT_EQ(CodeName(RenewSqliteIdentity(*tables, says->deployment, other)), "conflict");
  EXPECT_EQ(Must(ReadSqliteIdentity(*Must(open({.deployment = other})))),
            (SchemaIdentity{other, says->deployment, Shard(0), {16, 1}}));
}

TEST_F(SqliteMigrations, NewTablesAreOfTheDeploymentThatIsPinned) {
  const MemoryDatabase memory;
  const DeploymentId pinned = DeploymentId::Draw();
  const auto tables =
      Must(OpenSqliteTables(memory.path(), Shard(0), {16, 1}, clock_, {.deployment = pinned}));
  EXPECT_EQ(Must(ReadSqliteIdentity(*tables))->deployment, pinned);
}

TEST_F(SqliteMigrations, MigrationOfALaterBuildIsRefused) {
  sqlite::Connection beside(tables_.path(), {});
  beside.Execute("INSERT INTO schema_migrations (name) VALUES ('9999_later')");
  const Status status = OpenAgain(Shard(0), {16, 1});
  EXPECT_EQ(CodeName(status), ToString(ErrorCode::kRefused));
  EXPECT_THAT(status.error().message, HasSubstr("9999_later"));
}

// As a build before the check has left it.
TEST_F(SqliteMigrations, LaneWithMorePublishedThanDecidedHaltsAndLooksForItsOutcomesAgain) {
  const auto store = tables_.NewStore();
  TakenLane lane = TakeOne(*store, FollowingLane(3));
  const TakenLane other = TakeOne(*store, FollowingLane(4));
  CommitAndFollow(*store, lane, BatchOf(lane, 10));
  sqlite::Connection beside(tables_.path(), {});
  beside.Execute("DROP TRIGGER progress_published_inserted");
  beside.Execute("DROP TRIGGER progress_published_updated");
  beside.Execute(
      "UPDATE progress SET published_offset = 13, outcome_offset = 14 WHERE \"partition\" = 3");
  beside.Execute("DELETE FROM schema_migrations WHERE name LIKE '0006%'");
  ASSERT_TRUE(OpenAgain(Shard(0), {16, 1}));
  ExpectPublishedAhead(tables_, lane, other);
}

TEST_F(SqliteMigrations, NoMoreIsPublishedThanDecided) {
  TakeOne(*tables_.NewStore(), FollowingLane(3));
  sqlite::Connection beside(tables_.path(), {});
  EXPECT_THROW(beside.Execute("UPDATE progress SET published_offset = event_offset + 1"), Failure);
  EXPECT_THROW(beside.Execute("INSERT INTO progress (projection, generation, \"partition\", "
                              "stream, published_offset) VALUES ('following', 1, 4, "
                              "'relation-events', 1)"),
               Failure);
}

// What one statement has done goes with what the next cannot do.
TEST_F(SqliteMigrations, OneThatIsCutShortLeavesNothing) {
  const auto store = tables_.NewStore();
  TakeOne(*store, FollowingLane(3));
  sqlite::Connection beside(tables_.path(), {});
  beside.Execute("DELETE FROM schema_migrations WHERE name LIKE '0007%'");
  beside.Execute("DROP TABLE rebuild_loads");
  EXPECT_FALSE(OpenAgain(Shard(0), {16, 1}));
  sqlite::Statement left = beside.Prepare(
      "SELECT (SELECT COUNT(*) FROM progress), (SELECT COUNT(*) FROM sqlite_master WHERE name LIKE "
      "'%_of_two'), (SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger')");
  ASSERT_TRUE(left.Next());
  EXPECT_EQ(left.I32(0), 1);
  EXPECT_EQ(left.I32(1), 0);
  EXPECT_EQ(left.I32(2), 2);
}

// The catalog's own columns, as releases before the rows have them.
TEST_F(SqliteMigrations, GenerationsThatAreReadBecomeRowsAndStayColumns) {
  sqlite::Connection beside(tables_.path(), {});
  beside.Execute("UPDATE catalog SET following_generation = 3, fans_generation = 2");
  beside.Execute("DROP TABLE catalog_reads");
  beside.Execute("DELETE FROM schema_migrations WHERE name LIKE '0008%'");
  ASSERT_TRUE(OpenAgain(Shard(0), {16, 1}));
  EXPECT_EQ(Must(tables_.NewReader()->ReadCatalog()).read,
            (ReadGenerations{Generation(3), Generation(2)}));
  const auto generations = tables_.NewGenerations();
  ASSERT_TRUE(generations->Hold(projections::kFans));
  ASSERT_TRUE(generations->Read(projections::kFans, Generation(1)));
  sqlite::Statement columns =
      beside.Prepare("SELECT following_generation, fans_generation FROM catalog");
  ASSERT_TRUE(columns.Next());
  EXPECT_EQ(columns.I32(0), 3);
  EXPECT_EQ(columns.I32(1), 1);
}

TEST_F(SqliteMigrations, FileThatIsNoDatabaseIsRefusedWithAdvice) {
  const TempFolder folder;
  std::ofstream(folder.path() + "/tables.db") << std::string(10'000, 'x');
  const auto opened = OpenSqliteTables(folder.path() + "/tables.db", Shard(0), {16, 1}, clock_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kRefused);
  EXPECT_THAT(opened.error().message, HasSubstr("backup"));
}

TEST(SqliteMigrationTexts, AreNumberedWithoutHoles) {
  const auto texts = sqlite::MigrationTexts();
  ASSERT_GE(texts.size(), 2U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(std::stoul(std::string(texts[i].name.substr(0, 4))), i + 1);
    EXPECT_FALSE(SplitStatements(texts[i].text).empty()) << texts[i].name;
  }
}

}  // namespace
}  // namespace fanfold::testing
