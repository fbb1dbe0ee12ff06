#include "common/mysql/schema_identity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "common/mysql/add_index.h"
#include "common/ports/deployment_check.h"
#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {
namespace {

class MysqlSchemaIdentity : public ::testing::Test {
 protected:
  void Run(const std::string& sql) {
    const Status ran = beside_->Run([&] { beside_->Execute(sql); });
    ASSERT_TRUE(ran) << ran.error().message;
  }
  [[nodiscard]] MysqlOptions OwnOptions() { return {.check = own_.Of(Shard(0))}; }

  MysqlTables tables_;
  std::unique_ptr<mysql::Connection> beside_ = tables_.Connect();
  OwnSchemas own_{Shape{16, 1}, std::nullopt};
};

TEST_F(MysqlSchemaIdentity, AMigrationWritesItOnce) {
  const auto says = Must(LookAtMysqlSchema(tables_.dsn())).identity;
  ASSERT_TRUE(says);
  EXPECT_EQ(*says, (SchemaIdentity{says->deployment, std::nullopt, Shard(0), {16, 1}}));
  EXPECT_EQ(Must(Migrate(tables_.dsn(), Shard(0), {16, 1})), says->deployment);
  EXPECT_EQ(Must(Migrate(tables_.dsn(), Shard(0), {16, 1}, says->deployment)), says->deployment);
  EXPECT_EQ(Migrate(tables_.dsn(), Shard(0), {16, 1}, DeploymentId::Draw()).error().code,
            ErrorCode::kRefused);
}

TEST_F(MysqlSchemaIdentity, ASchemaThatIsNotThereHasLeftNothing) {
  const SchemaTraces traces = Must(LookAtMysqlSchema(TestDsn(UniqueSpace())));
  EXPECT_FALSE(traces.identity || traces.catalog);
  EXPECT_TRUE(traces.lanes.empty());
}

// What every release has had, of which some lack the table of identities.
TEST_F(MysqlSchemaIdentity, WhatAReleaseBeforeItHasLeftIsRead) {
  const auto store = tables_.NewStore();
  TakenLane lane = TakeOne(*store, FollowingLane(3));
  TakeOne(*store, FansLane(3), kApplying);
  CommitAndFollow(*store, lane, BatchOf(lane, 2, {Row(7, 8, true, 5, 1), Row(9, 8, true, 5, 2)}));
  Run("DROP TABLE schema_identity");
  const SchemaTraces traces = Must(LookAtMysqlSchema(tables_.dsn()));
  EXPECT_FALSE(traces.identity);
  ASSERT_TRUE(traces.catalog);
  EXPECT_EQ(traces.catalog->shape.partitions, 16);
  EXPECT_EQ(traces.lanes.size(), 2U);
  ASSERT_EQ(traces.users.size(), 2U);
  EXPECT_EQ(traces.users[1].user, UserId(9));
  EXPECT_EQ(traces.users[1].projection, projections::kFollowing);
}

TEST_F(MysqlSchemaIdentity, UsersOfEveryProjectionAreSampledOnce) {
  const auto store = tables_.NewStore();
  for (const Projection projection : Projection::All()) {
    TakeOne(*store, {projection, kG1, Partition(3)}, projection.decides() ? kDeciding : kApplying);
  }
  Run("INSERT INTO posts_g1 (author_id, post_id, type, score, active, version, content) VALUES "
      "(7, 1, 0, 0, 1, 1, ''), (7, 2, 0, 0, 1, 1, ''), (9, 1, 0, 0, 1, 1, '')");
  Run("DROP TABLE schema_identity");
  const SchemaTraces traces = Must(LookAtMysqlSchema(tables_.dsn()));
  ASSERT_EQ(traces.users.size(), 2U);
  EXPECT_EQ(traces.users[0].user, UserId(7));
  EXPECT_EQ(traces.users[1].user, UserId(9));
}

TEST_F(MysqlSchemaIdentity, ACopyIsGivenAnotherIdAndKeepsWhoseItWas) {
  const DeploymentId was = Must(LookAtMysqlSchema(tables_.dsn())).identity->deployment;
  const DeploymentId now = DeploymentId::Draw();
  ASSERT_TRUE(RenewMysqlIdentity(tables_.dsn(), was, now));
  EXPECT_EQ(Must(LookAtMysqlSchema(tables_.dsn())).identity,
            (SchemaIdentity{now, was, Shard(0), {16, 1}}));
  EXPECT_EQ(CodeName(RenewMysqlIdentity(tables_.dsn(), was, now)), "conflict");
}

TEST_F(MysqlSchemaIdentity, SessionsOfTheSchemaAloneAreCounted) {
  Run("DO 0");
  MysqlTables other;
  const auto reader = other.NewReader();
  ASSERT_TRUE(reader->Ping());
  EXPECT_EQ(Must(SessionsOnMysql(tables_.dsn())), 1);
}

// Each side of the tables, asked to do what it does first: nothing may come of it.
TEST_F(MysqlSchemaIdentity, NoSessionWritesIntoAnothersSchema) {
  const std::vector<std::string> spoilt = {
      "UPDATE schema_identity SET shard = 1",
      "UPDATE schema_identity SET shard = 0, partitions = 32",
      "UPDATE schema_identity SET partitions = 16, deployment = REVERSE(deployment)"};
  ASSERT_TRUE(Must(NewMysqlProjectionReader(tables_.dsn(), OwnOptions()))->Ping());
  for (const std::string& spoil : spoilt) {
    Run(spoil);
    const auto store = Must(NewMysqlLaneStore(tables_.dsn(), OwnOptions()));
    const std::vector lanes = {FollowingLane(0)};
    EXPECT_EQ(store->TakeFences(lanes, kDeciding, "tester").error().code, ErrorCode::kRefused);
    const auto operations = Must(NewMysqlTableOperations(tables_.dsn(), OwnOptions()));
    EXPECT_EQ(CodeName(operations->Pause(FollowingLane(0), "")), "refused") << spoil;
    const auto generations = Must(NewMysqlGenerationOperations(tables_.dsn(), own_.Of(Shard(0))));
    EXPECT_EQ(
        CodeName(generations->Create(projections::kFans, Generation(2), kFirstSlotMap, {}, {})),
        "refused");
    const auto snapshot = Must(NewMysqlTableSnapshot(tables_.dsn(), OwnOptions()));
    EXPECT_EQ(snapshot->Lanes().error().code, ErrorCode::kRefused) << spoil;
    const TableIndex index{"fans_g1", "stray", {"version"}};
    EXPECT_EQ(CodeName(AddMysqlIndex(tables_.dsn(), index, own_.Of(Shard(0)))), "refused") << spoil;
    EXPECT_TRUE(Must(tables_.NewReader()->Lanes()).empty()) << spoil;
  }
}

TEST_F(MysqlSchemaIdentity, ASchemaThatSaysNothingIsWaitedFor) {
  for (const char* spoil : {"DELETE FROM schema_identity", "DROP TABLE schema_identity"}) {
    Run(spoil);
    const auto reader = Must(NewMysqlProjectionReader(tables_.dsn(), OwnOptions()));
    EXPECT_EQ(CodeName(reader->Ping()), "unavailable") << spoil;
  }
}

// No session fails where another schema is loaded in the place of one.
TEST_F(MysqlSchemaIdentity, ALookAtLanesOrCatalogNoticesThatTheSchemaIsAnothers) {
  TakeOne(*tables_.NewStore(), FollowingLane(0));
  const auto reader = Must(NewMysqlProjectionReader(tables_.dsn(), OwnOptions()));
  ASSERT_EQ(Must(reader->Lanes()).size(), 1U);
  ASSERT_EQ(Must(reader->ReadCatalog()).shape.partitions, 16);
  Run("UPDATE schema_identity SET deployment = REVERSE(deployment)");
  EXPECT_EQ(reader->ReadCatalog().error().code, ErrorCode::kRefused);
  const auto lanes = reader->Lanes();
  ASSERT_FALSE(lanes);
  EXPECT_EQ(lanes.error().code, ErrorCode::kRefused);
  Run("DELETE FROM schema_identity");
  EXPECT_EQ(reader->Lanes().error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace fanfold::testing
