#include "cli/deployment/init.h"

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;

TEST(Init, CreatesTopicsAndEveryShardsTables) {
  FakeSession fake(4, 2);
  fake.backend.shard_states[0].catalog.reset();
  EXPECT_EQ(RunInit(fake.session), ExitCode::kFine);
  EXPECT_EQ(fake.backend.topics_created, 1);
  EXPECT_EQ(fake.backend.migrated, (std::vector{Shard(0), Shard(1)}));
}

class InitMendsTest : public ::testing::Test {
 protected:
  InitMendsTest() {
    fake_.backend.database_facts->indexes_wanted = {kPrimary, kPage};
    fake_.backend.database_facts->indexes = {kPrimary};
  }

  const TableIndex kPrimary{"fans_g1", kPrimaryName, {"user_id", "fan_id"}};
  const TableIndex kPage{"fans_g1", "page", {"user_id", "active", "since_ms", "fan_id"}};
  FakeSession fake_{4};
};

TEST_F(InitMendsTest, MakesAnIndexThatIsMissing) {
  EXPECT_EQ(RunInit(fake_.session), ExitCode::kFine);
  EXPECT_EQ(fake_.out.text(),
            "shard 0: fans_g1 has its index page again\nready: 4 partitions, 1 shards\n");
  EXPECT_EQ(fake_.backend.database_facts->indexes, (std::vector{kPrimary, kPage}));
}

TEST_F(InitMendsTest, NamesWhatItCannotMend) {
  fake_.backend.database_facts->indexes_wanted.push_back(
      {"fan_count_g1", kPrimaryName, {"user_id"}});
  fake_.backend.log_facts->on_brokers = true;
  fake_.backend.log_facts->topics[topics::kRelationEvents].settings["retention.ms"] = "1000";
  EXPECT_EQ(RunInit(fake_.session), ExitCode::kDifferent);
  const std::string text = fake_.out.text();
  EXPECT_NE(text.find("the table fan_count_g1 is missing"), std::string::npos) << text;
  EXPECT_NE(text.find("retention.ms is 1000"), std::string::npos) << text;
  EXPECT_EQ(text.find("ready: "), std::string::npos) << text;
}

TEST_F(InitMendsTest, AnIndexThatCannotBeMadeIsNamed) {
  fake_.backend.database_facts->indexes = {kPage};
  EXPECT_EQ(RunInit(fake_.session), ExitCode::kDifferent);
  EXPECT_NE(fake_.out.text().find("fans_g1 has no index PRIMARY"), std::string::npos);
}

TEST(Init, AgainOnADeploymentThatIsThereIsFine) {
  FakeSession fake(4, 2);
  fake.backend.log = testing::FakeLogState(8);  // somebody has raised them
  fake.backend.shard_states[1].lanes = {testing::RunningLane(projections::kFollowing, 1, 0)};
  EXPECT_EQ(RunInit(fake.session), ExitCode::kFine) << fake.err.text();
}

TEST(Init, TablesOfAnEarlierBuildAreADeploymentThatIsThere) {
  FakeSession fake(4, 2);
  fake.backend.log = testing::FakeLogState(8);  // somebody has raised them
  for (testing::FakeShard& shard : fake.backend.shard_states) shard.of_an_earlier_build = true;
  EXPECT_EQ(RunInit(fake.session), ExitCode::kFine) << fake.err.text();
  fake.backend.migrated.clear();
  std::swap(fake.backend.shard_states[0], fake.backend.shard_states[1]);
  EXPECT_EQ(RunInit(fake.session), ExitCode::kRefused);
  EXPECT_TRUE(fake.backend.migrated.empty());
}

TEST(Init, NewDeploymentHasAsManyPartitionsAsItsTopics) {
  FakeSession fake(4);
  fake.backend.shard_states[0].catalog.reset();
  fake.backend.log = testing::FakeLogState(8);
  EXPECT_EQ(RunInit(fake.session), ExitCode::kRefused);
  EXPECT_TRUE(fake.backend.migrated.empty());
}

UserId UserOf(Shard shard) {
  std::uint64_t id = 1;
  while (Placement::Modulo({4, 2}).ShardOf(UserId(id)) != shard) ++id;
  return UserId(id);
}

TEST(Init, NothingIsWrittenWhereASchemaIsAnotherShards) {
  using Spoil = std::function<void(std::vector<testing::FakeShard>&)>;
  const LaneStatus of_shard_1 = testing::RunningLane(projections::kFollowing, 1, 0);
  const std::vector<std::pair<const char*, Spoil>> cases = {
      {"swapped", [](auto& shards) { std::swap(shards[0], shards[1]); }},
      {"swapped, with lanes",
       [&](auto& shards) {
         shards[1].lanes = {of_shard_1};
         std::swap(shards[0], shards[1]);
       }},
      {"lane of another shard", [&](auto& shards) { shards[0].lanes = {of_shard_1}; }},
      {"other shards", [](auto& shards) { shards[0].catalog->shape.shards = 4; }},
      {"other partitions", [](auto& shards) { shards[0].catalog->shape.partitions = 8; }},
      {"user of another shard",
       [](auto& shards) { shards[0].users = {{projections::kFans, UserOf(Shard(1))}}; }}};
  for (const auto& [name, spoil] : cases) {
    FakeSession fake(4, 2);
    spoil(fake.backend.shard_states);
    EXPECT_EQ(RunInit(fake.session), ExitCode::kRefused) << name;
    EXPECT_EQ(fake.backend.topics_created, 0) << name;
    EXPECT_TRUE(fake.backend.migrated.empty()) << name;
    EXPECT_NE(fake.err.text().find("name the DSNs"), std::string::npos) << fake.err.text();
  }
}

TEST(Init, EverySchemaSaysWhichShardOfWhichDeploymentItIs) {
  FakeSession fake(4, 2);
  fake.backend.shard_states[0].catalog.reset();
  ASSERT_EQ(RunInit(fake.session), ExitCode::kFine);
  const auto& shards = fake.backend.shard_states;
  const DeploymentId made = shards[0].identity->deployment;
  EXPECT_EQ(shards[1].identity, fake.backend.IdentityOf(Shard(1), made));
  ASSERT_EQ(RunInit(fake.session), ExitCode::kFine);
  EXPECT_EQ(shards[0].identity->deployment, made);
}

TEST(Init, OneThatWasCutShortGoesOnWithTheIdThatItDrew) {
  FakeSession fake(4, 2);
  fake.backend.shard_states[0].catalog.reset();
  fake.backend.shard_states[1].read_only = true;
  ASSERT_EQ(RunInit(fake.session), ExitCode::kError);
  const DeploymentId drawn = fake.backend.shard_states[0].identity->deployment;
  fake.backend.shard_states[1].read_only = false;
  ASSERT_EQ(RunInit(fake.session), ExitCode::kFine);
  EXPECT_EQ(fake.backend.shard_states[1].identity->deployment, drawn);
}

TEST(Init, NothingIsWrittenWhereSchemasAreOfTwoDeployments) {
  FakeSession fake(4, 2);
  fake.backend.IdentifyAll(DeploymentId::Draw());
  fake.backend.shard_states[1].identity->deployment = DeploymentId::Draw();
  EXPECT_EQ(RunInit(fake.session), ExitCode::kRefused);
  EXPECT_NE(fake.err.text().find("shard 1: its schema is of deployment"), std::string::npos);
  EXPECT_EQ(fake.backend.topics_created, 0);
  EXPECT_TRUE(fake.backend.migrated.empty());
}

// Restored from a backup of before the schemas said it.
TEST(Init, AShardThatSaysNothingIsTakenIntoTheDeploymentOfTheOthers) {
  const DeploymentId ours = DeploymentId::Draw();
  for (const std::size_t restored : {0, 1}) {
    FakeSession fake(4, 2);
    fake.backend.IdentifyAll(ours);
    fake.backend.shard_states[restored].identity.reset();
    ASSERT_EQ(RunInit(fake.session), ExitCode::kFine) << fake.err.text();
    EXPECT_EQ(fake.backend.shard_states[restored].identity->deployment, ours);
  }
}

TEST(Init, ADeploymentThatIsPinnedIsMadeOrRefused) {
  FakeSession fake(4, 2);
  fake.backend.pinned_id = DeploymentId::Draw();
  ASSERT_EQ(RunInit(fake.session), ExitCode::kFine);
  EXPECT_EQ(fake.backend.shard_states[1].identity->deployment, fake.backend.pinned_id);
  fake.backend.pinned_id = DeploymentId::Draw();
  EXPECT_EQ(RunInit(fake.session), ExitCode::kRefused);
}

TEST(Init, NothingIsWrittenWhileAShardIsAway) {
  FakeSession fake(4, 2);
  fake.backend.shard_states[1].away = true;
  EXPECT_EQ(RunInit(fake.session), ExitCode::kError);
  EXPECT_NE(fake.err.text().find("shard 1: away"), std::string::npos) << fake.err.text();
  EXPECT_EQ(fake.backend.topics_created, 0);
  EXPECT_TRUE(fake.backend.migrated.empty());
}

TEST(Init, ImpossiblePlacementCreatesNothing) {
  FakeSession fake(4, 3);
  EXPECT_EQ(RunInit(fake.session), ExitCode::kError);
  EXPECT_EQ(fake.backend.topics_created, 0);
}

}  // namespace
}  // namespace fanfold
