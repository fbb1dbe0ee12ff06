#include "cli/doctor.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "common/relation/event.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using Json = nlohmann::json;

class DoctorTest : public ::testing::Test {
 protected:
  DoctorTest() {
    fake_.session.json = true;
    auto& backend = fake_.backend;
    backend.log_facts->events.partitions = backend.log_facts->outcomes.partitions = 2;
    backend.database_facts->server = "SQLite 3.40.1";
    backend.shard_states[0].catalog = {{}, 2, 1};
    for (const ProjectionKind kind : {ProjectionKind::kFollowing, ProjectionKind::kFans}) {
      for (int p = 0; p < 2; ++p) {
        backend.shard_states[0].lanes.push_back(testing::RunningLane(kind, p, 0));
      }
    }
  }

  ExitCode Look() {
    const ExitCode code = RunDoctor(fake_.session, {});
    const Json told = Json::parse(fake_.out.text());
    for (const Json& check : told["checks"]) levels_[check["name"]] = check["level"];
    return code;
  }

  FakeSession fake_{2};
  std::map<std::string, std::string> levels_;
};

TEST_F(DoctorTest, NothingIsWrong) {
  EXPECT_EQ(Look(), ExitCode::kFine) << fake_.out.text();
  for (const auto& [name, level] : levels_) EXPECT_EQ(level, "ok") << name;
  for (const char* name :
       {"retention", "append time", "replicas", "shape", "versions", "migrations", "tables",
        "durability", "clocks", "lanes", "lag", "parked"}) {
    EXPECT_TRUE(levels_.contains(name)) << name;
  }
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
  EXPECT_EQ(levels_["topics"], "unknown");
  EXPECT_EQ(levels_["tables"], "ok");
}

TEST_F(DoctorTest, DatabaseThatIsAwayLeavesTheLogToBeLookedAt) {
  fake_.backend.database_facts = Fail(ErrorCode::kUnavailable, "no server");
  EXPECT_EQ(Look(), ExitCode::kError);
  EXPECT_EQ(levels_["database"], "unknown");
  EXPECT_EQ(levels_["retention"], "ok");
}

TEST_F(DoctorTest, LagIsTheAgeOfTheOldestEventThatIsNotInTheTables) {
  fake_.backend.log.events[1].push_back({"1", "x", fake_.clock.now_ms - 60'000});
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["lag"], "warning");
}

TEST_F(DoctorTest, BrokersClockThatIsAheadShowsInTheNewestRecord) {
  fake_.backend.log.events[1].push_back({"1", "x", fake_.clock.now_ms + 60'000});
  EXPECT_EQ(Look(), ExitCode::kFine);
  EXPECT_EQ(levels_["clocks"], "warning");
}

TEST_F(DoctorTest, LanesOfAGenerationThatIsNotReadAreNotJudged) {
  LaneStatus lane = testing::RunningLane(ProjectionKind::kFans, 0, 0);
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

}  // namespace
}  // namespace fanfold
