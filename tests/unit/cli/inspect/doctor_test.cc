#include "cli/inspect/doctor.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/inspect/checks_text.h"
#include "common/relation/event.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using Json = nlohmann::json;

GenerationRow GenerationOf(Projection projection, int generation, GenerationState state) {
  GenerationRow row;
  row.projection = projection;
  row.generation = Generation(generation);
  row.state = state;
  return row;
}

class DoctorTest : public ::testing::Test {
 protected:
  DoctorTest() {
    fake_.session.json = true;
    auto& backend = fake_.backend;
    for (const Topic topic : Topic::All()) backend.log_facts->topics[topic].partitions = 2;
    backend.database_facts->server = "SQLite 3.40.1";
    backend.shard_states[0].catalog = Catalog{{}, {2, 1}};
    backend.IdentifyAll(DeploymentId::Draw());
    for (const Projection kind : Projection::All()) {
      backend.projectors[kind] = 1;
      for (int p = 0; p < 2; ++p) {
        backend.shard_states[0].lanes.push_back(testing::RunningLane(kind, p, 0));
      }
    }
  }

  ExitCode Look(const DoctorOptions& options = {}) {
    const ExitCode code = RunDoctor(fake_.session, options);
    const Json told = Json::parse(fake_.out.text());
    for (const Json& check : told["checks"]) levels_[check["name"]] = check["level"];
    return code;
  }

  // Of a table that is there.
  void Lack(const std::string& index) {
    DatabaseFacts& facts = *fake_.backend.database_facts;
    facts.indexes = {{"fans_g1", kPrimaryName, {"user"}}};
    facts.indexes_wanted = facts.indexes;
    facts.indexes_wanted.push_back({"fans_g1", index, {"user"}});
  }

  FakeSession fake_{2};
  std::map<std::string, std::string> levels_;
};

TEST_F(DoctorTest, FixShowsTheStatementFirstAndRunsItWhenToldTo) {
  Lack("page");
  EXPECT_EQ(Look({.fix = true}), ExitCode::kDifferent);
  EXPECT_NE(fake_.err.text().find("shard 0: make fans_g1 page;"), std::string::npos);
  EXPECT_NE(fake_.err.text().find("not run without --yes"), std::string::npos);
  EXPECT_EQ(fake_.backend.database_facts->indexes.size(), 1U);
}

TEST_F(DoctorTest, FixWithYesMakesWhatIsLacking) {
  Lack("page");
  EXPECT_EQ(RunDoctor(fake_.session, {.fix = true, .yes = true}), ExitCode::kFine);
  const Json told = Json::parse(fake_.out.text());
  EXPECT_EQ(told["fixes"][0]["sql"], "make fans_g1 page");
  EXPECT_EQ(told["fixed"][0], "shard 0: fans_g1 has its index page again");
  EXPECT_EQ(fake_.backend.database_facts->indexes.size(), 2U);
}

TEST_F(DoctorTest, FixWaitsForATableThatAnAuditHolds) {
  Lack("page");
  fake_.backend.table_held = 3;
  EXPECT_EQ(RunDoctor(fake_.session, {.fix = true, .yes = true}), ExitCode::kFine);
  EXPECT_EQ(fake_.backend.database_facts->indexes.size(), 2U);
}

TEST_F(DoctorTest, FixThatIsInterruptedBeginsNoIndex) {
  Lack("page");
  fake_.interrupt.interrupt_at = 1;
  EXPECT_EQ(RunDoctor(fake_.session, {.fix = true, .yes = true}), ExitCode::kDifferent);
  EXPECT_NE(fake_.err.text().find("lacks its index page still: interrupted"), std::string::npos);
  EXPECT_EQ(fake_.backend.database_facts->indexes.size(), 1U);
}

TEST_F(DoctorTest, FixTellsWhyAnIndexCannotBeMade) {
  Lack(kPrimaryName);
  fake_.backend.database_facts->indexes = {{"fans_g1", "page", {"user"}}};
  EXPECT_EQ(RunDoctor(fake_.session, {.fix = true, .yes = true}), ExitCode::kDifferent);
  EXPECT_NE(fake_.err.text().find("shard 0: fans_g1 lacks its index PRIMARY still: rows are there "
                                  "twice"),
            std::string::npos)
      << fake_.err.text();
}

TEST_F(DoctorTest, FixLeavesASchemaOfAnotherDeploymentAlone) {
  Lack("page");
  fake_.backend.pinned_id = DeploymentId::Draw();
  EXPECT_EQ(RunDoctor(fake_.session, {.fix = true, .yes = true}), ExitCode::kDifferent);
  const Json told = Json::parse(fake_.out.text());
  EXPECT_TRUE(told["fixes"].empty());
  EXPECT_EQ(fake_.backend.database_facts->indexes.size(), 1U);
}

TEST_F(DoctorTest, NothingIsWrong) {
  EXPECT_EQ(Look(), ExitCode::kFine) << fake_.out.text();
  for (const auto& [name, level] : levels_) EXPECT_EQ(level, "ok") << name;
  for (const char* name : {"retention", "append time", "replicas", "room", "shape", "versions",
                           "migrations", "tables", "durability", "clocks", "lanes", "lag", "parked",
                           "shards", "foreign", "projectors", "generations", "transport"}) {
    EXPECT_TRUE(levels_.contains(name)) << name;
  }
}

TEST_F(DoctorTest, WhatGoesOutInPlainTextIsAWarning) {
  fake_.backend.sent_plain = {"brokers are spoken to without TLS"};
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["transport"], "warning");
  EXPECT_TRUE(fake_.out.text().contains("brokers are spoken to without TLS"));
}

TEST_F(DoctorTest, TextHasALineEachAndWhatToDo) {
  fake_.session.json = false;
  fake_.backend.shard_states[0].lanes[0].state = LaneState::kPaused;
  EXPECT_EQ(RunDoctor(fake_.session, {}), ExitCode::kFine);
  const std::string text = fake_.out.text();
  EXPECT_NE(text.find("ok       retention"), std::string::npos) << text;
  EXPECT_NE(text.find("warning  lanes"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  do: "), std::string::npos) << text;
  EXPECT_NE(text.find("`fanfold lane resume following/0 --generation 1`"), std::string::npos)
      << text;
}

TEST_F(DoctorTest, LogThatIsAwayLeavesTheDatabasesToBeLookedAt) {
  fake_.backend.log_facts = Fail(ErrorCode::kUnavailable, "no broker");
  EXPECT_EQ(Look(), ExitCode::kError);
  for (const char* name : {"topics", "retention", "append time", "replicas", "producers", "shape",
                           "foreign", "projectors", "lag"}) {
    EXPECT_EQ(levels_[name], "unknown") << name;
  }
  EXPECT_EQ(levels_["tables"], "ok");
  EXPECT_EQ(levels_["lanes"], "ok");
}

TEST_F(DoctorTest, DatabaseThatIsAwayLeavesTheLogToBeLookedAt) {
  fake_.backend.database_facts = Fail(ErrorCode::kUnavailable, "no server");
  EXPECT_EQ(Look(), ExitCode::kError);
  EXPECT_EQ(levels_["database"], "unknown");
  EXPECT_EQ(levels_["retention"], "ok");
}

// Of two shards one is away: what was looked at is told, and that the rest was not.
TEST(DoctorOnTwoShards, NothingIsSaidOfAShardThatIsAway) {
  for (const std::size_t away : {0U, 1U}) {
    FakeSession fake(2, 2);
    fake.session.json = true;
    auto& backend = fake.backend;
    for (const Topic topic : Topic::All()) backend.log_facts->topics[topic].partitions = 2;
    backend.database_facts->server = "SQLite 3.40.1";
    backend.log.Of(topics::kRelationEvents)[0].push_back({"1", "x", fake.clock.now_ms});
    backend.log.Of(topics::kRelationEvents)[1].push_back({"1", "x", fake.clock.now_ms});
    for (int shard = 0; shard < 2; ++shard) {
      auto& lanes = backend.shard_states[static_cast<std::size_t>(shard)].lanes;
      lanes.push_back(testing::RunningLane(projections::kFollowing, shard, 1));
      for (int p = 0; p < 2; ++p) lanes.push_back(testing::RunningLane(projections::kFans, p, 1));
      lanes.back().state = LaneState::kHalted;
    }
    backend.IdentifyAll(DeploymentId::Draw());
    backend.shard_states[away].away = true;
    EXPECT_EQ(RunDoctor(fake.session, {}), ExitCode::kError);
    std::map<std::string, Json> checks;
    const Json told = Json::parse(fake.out.text());
    for (const Json& check : told["checks"]) checks[check["name"]] = check;
    for (const char* name : {"shards", "database", "versions", "migrations", "tables", "durability",
                             "clocks", "lanes", "lag", "generations", "parked"}) {
      EXPECT_EQ(checks[name]["level"], "unknown") << name << " with shard " << away << " away";
    }
    EXPECT_NE(checks["lanes"].dump().find("fans/1"), std::string::npos) << "of the other shard";
    EXPECT_EQ(checks["lag"].dump().find("not in the tables yet"), std::string::npos);
  }
}

TEST_F(DoctorTest, ALaneThatHaltedIsBlamedWhicheverGenerationItIsOf) {
  LaneStatus lane = fake_.backend.shard_states[0].lanes[0];
  lane.lane.generation = Generation(7);
  lane.state = LaneState::kHalted;
  fake_.backend.shard_states[0].lanes.push_back(lane);
  EXPECT_EQ(Look(), ExitCode::kDifferent);
  EXPECT_EQ(levels_["lanes"], "problem");
  EXPECT_NE(fake_.out.text().find("of generation 7"), std::string::npos);
}

TEST_F(DoctorTest, ASchemaOfAnotherDeploymentIsBlamed) {
  fake_.backend.pinned_id = DeploymentId::Draw();
  EXPECT_EQ(Look(), ExitCode::kDifferent);
  EXPECT_EQ(levels_["shards"], "problem");
  EXPECT_NE(fake_.out.text().find(fake_.backend.pinned_id->text()), std::string::npos);
}

TEST_F(DoctorTest, ASchemaThatSaysNothingYetIsNotKnown) {
  fake_.backend.shard_states[0].identity.reset();
  EXPECT_EQ(Look(), ExitCode::kError);
  EXPECT_EQ(levels_["shards"], "unknown");
}

TEST_F(DoctorTest, ProjectorsThatAreGoneAreTold) {
  fake_.backend.projectors[projections::kFans] = 0;
  EXPECT_EQ(Look(), ExitCode::kDifferent);
  EXPECT_EQ(levels_["projectors"], "problem");
  EXPECT_NE(fake_.out.text().find("no projector of fans runs; its lanes say running, and are "
                                  "tester's"),
            std::string::npos)
      << fake_.out.text();
}

TEST_F(DoctorTest, GenerationsLeftHalfLoadedAreTold) {
  auto& shard = fake_.backend.shard_states[0];
  shard.generations = {GenerationOf(projections::kFans, 2, GenerationState::kLoading)};
  shard.generations_held = true;
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["generations"], "ok") << "a rebuild is at it";
}

TEST_F(DoctorTest, GenerationsThatNobodyLoadsAreTold) {
  fake_.backend.shard_states[0].generations = {
      GenerationOf(projections::kFollowing, 1, GenerationState::kFolding),
      GenerationOf(projections::kFans, 2, GenerationState::kLoading)};
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["generations"], "warning");
  EXPECT_NE(fake_.out.text().find("generation 2 of fans was left half loaded"), std::string::npos);
}

TEST_F(DoctorTest, GenerationsOfOneShardAreToldWhenAnotherFails) {
  FakeSession fake(4, 3);
  fake.session.json = true;
  for (auto& shard : fake.backend.shard_states) shard.lanes.clear();
  fake.backend.shard_states[0].catalog = Catalog{{}, {4, 3}};
  fake.backend.shard_states[1].generations_away = true;
  fake.backend.shard_states[2].generations = {
      GenerationOf(projections::kFans, 2, GenerationState::kLoading)};
  EXPECT_EQ(RunDoctor(fake.session, {}), ExitCode::kError);
  const std::string told = fake.out.text();
  EXPECT_NE(told.find("generation 2 of fans was left half loaded"), std::string::npos) << told;
  EXPECT_NE(told.find("not looked at: shard 1: away"), std::string::npos) << told;
}

TEST_F(DoctorTest, LagIsTheAgeOfTheOldestEventThatIsNotInTheTables) {
  fake_.backend.log.Of(topics::kRelationEvents)[1].push_back(
      {"1", "x", fake_.clock.now_ms - 60'000});
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["lag"], "warning");
}

TEST_F(DoctorTest, BrokersClockThatIsAheadShowsInTheNewestRecord) {
  fake_.backend.log.Of(topics::kRelationEvents)[1].push_back(
      {"1", "x", fake_.clock.now_ms + 60'000});
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["clocks"], "warning");
}

TEST_F(DoctorTest, LanesOfAGenerationThatIsNotReadAreNotJudged) {
  LaneStatus lane = testing::RunningLane(projections::kFans, 0, 0);
  lane.lane.generation = Generation(2);
  lane.state = LaneState::kPaused;
  fake_.backend.shard_states[0].lanes.push_back(lane);
  EXPECT_EQ(Look(), ExitCode::kFine);
}

TEST_F(DoctorTest, ParkedRecordsAreFound) {
  fake_.backend.shard_states[0].parked.emplace_back();
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["parked"], "warning");
}

TEST(Checks, ExitCodeIsThatOfTheWorst) {
  const auto code_of = [](std::vector<operations::CheckLevel> levels) {
    std::vector<operations::Check> checks = {{"fine", "fine", {}}};
    for (const operations::CheckLevel level : levels)
      checks.push_back({"c", "", {{level, "w", "a"}}});
    return ExitCodeOf(checks);
  };
  EXPECT_EQ(code_of({}), ExitCode::kFine);
  EXPECT_EQ(code_of({operations::CheckLevel::kWarning}), ExitCode::kFine);
  EXPECT_EQ(code_of({operations::CheckLevel::kProblem}), ExitCode::kDifferent);
  EXPECT_EQ(code_of({operations::CheckLevel::kUnknown, operations::CheckLevel::kProblem}),
            ExitCode::kError);
}

}  // namespace
}  // namespace fanfold
