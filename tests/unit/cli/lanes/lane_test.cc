#include "cli/lanes/lane.h"

#include <gtest/gtest.h>
#include <string>

#include "common/ports/halt_reason.h"
#include "operations/lanes/halt_advice.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold::testing {
namespace {

struct TargetCase {
  const char* text;
  std::optional<Projection> projection;  // nothing: refused
  int partition = -1;                    // −1: all
};
void PrintTo(const TargetCase& param, std::ostream* out) { *out << '"' << param.text << '"'; }

class LaneTargets : public ::testing::TestWithParam<TargetCase> {};

TEST_P(LaneTargets, AreAProjectionAndPerhapsAPartition) {
  const TargetCase& param = GetParam();
  const std::optional<operations::LaneTarget> target = ParseLaneTarget(param.text);
  ASSERT_EQ(target.has_value(), param.projection.has_value());
  if (!target) return;
  EXPECT_EQ(target->projection, *param.projection);
  EXPECT_EQ(target->partition ? target->partition->value : -1, param.partition);
}

INSTANTIATE_TEST_SUITE_P(Texts, LaneTargets,
                         ::testing::Values(TargetCase{"fans", projections::kFans},
                                           TargetCase{"following", projections::kFollowing},
                                           TargetCase{"following/0", projections::kFollowing, 0},
                                           TargetCase{"fans/1023", projections::kFans, 1023},
                                           TargetCase{"fans/1024", {}}, TargetCase{"fans/", {}},
                                           TargetCase{"fans/-1", {}}, TargetCase{"fans/3/4", {}},
                                           TargetCase{"feeds/3", {}}, TargetCase{"", {}}));

class LaneVerb : public ::testing::Test {
 protected:
  LaneVerb() {
    for (FakeShard& shard : fake_.backend.shard_states) {
      for (const std::int32_t partition : {0, 1}) {
        shard.lanes.push_back(RunningLane(projections::kFans, partition, 10));
      }
    }
  }
  LaneStatus& Lane(std::size_t shard, std::size_t partition) {
    return fake_.backend.shard_states[shard].lanes[partition];
  }
  ExitCode Order(operations::LaneOrder order, const char* target, std::int64_t to = 0) {
    operations::LaneOrderOptions options;
    options.order = order;
    options.target = *ParseLaneTarget(target);
    options.reason = "lunch";
    options.to = Offset(to);
    return RunLaneOrder(fake_.session, options);
  }

  FakeSession fake_{2, 2};
};

TEST_F(LaneVerb, PauseStopsThePartitionOnEveryShard) {
  EXPECT_EQ(Order(operations::LaneOrder::kPause, "fans/1"), ExitCode::kFine);
  for (const std::size_t shard : {0U, 1U}) {
    EXPECT_EQ(Lane(shard, 0).state, LaneState::kRunning);
    EXPECT_EQ(Lane(shard, 1).state, LaneState::kPaused);
    EXPECT_EQ(Lane(shard, 1).state_reason, "lunch");
  }
  EXPECT_NE(fake_.out.text().find("fans/1 on shard 1 is paused (lunch)"), std::string::npos);
}

TEST_F(LaneVerb, HaltedLaneIsNamedAndTheOthersArePaused) {
  Lane(0, 1).state = LaneState::kHalted;
  EXPECT_EQ(Order(operations::LaneOrder::kPause, "fans"), ExitCode::kRefused);
  EXPECT_TRUE(fake_.err.text().contains("shard 0: ")) << fake_.err.text();
  EXPECT_EQ(Lane(0, 1).state, LaneState::kHalted);
  EXPECT_EQ(Lane(1, 1).state, LaneState::kPaused);
}

TEST_F(LaneVerb, ResumeNamesWhyALaneHadHalted) {
  Lane(0, 1).state = LaneState::kHalted;
  Lane(0, 1).state_reason = "log_gap";
  EXPECT_EQ(Order(operations::LaneOrder::kResume, "fans/1"), ExitCode::kFine);
  EXPECT_EQ(Lane(0, 1).state, LaneState::kRunning);
  EXPECT_NE(fake_.err.text().find("fans/1 on shard 0 had halted: log_gap"), std::string::npos);
}

TEST_F(LaneVerb, RewindMovesEachLane) {
  EXPECT_EQ(Order(operations::LaneOrder::kRewind, "fans/0", 4), ExitCode::kFine);
  EXPECT_EQ(Lane(1, 0).progress.event_offset, Offset(4));
  EXPECT_EQ(Lane(1, 1).progress.event_offset, Offset(10));
}

TEST_F(LaneVerb, LaneThatIsNotThereIsAnError) {
  EXPECT_EQ(Order(operations::LaneOrder::kPause, "following/0"), ExitCode::kError);
  EXPECT_NE(fake_.err.text().find("fanfold lane list"), std::string::npos);
}

TEST_F(LaneVerb, OtherGenerationsAreLeftAlone) {
  Lane(0, 0).lane.generation = Generation(2);
  EXPECT_EQ(Order(operations::LaneOrder::kPause, "fans/0"), ExitCode::kFine);
  EXPECT_EQ(Lane(0, 0).state, LaneState::kRunning);
  EXPECT_EQ(Lane(1, 0).state, LaneState::kPaused);
}

TEST_F(LaneVerb, ListShowsTheShardsThatAnswerAndOrdersWantAll) {
  fake_.backend.shard_states[0].away = true;
  EXPECT_EQ(RunLaneList(fake_.session, {}), ExitCode::kError);
  EXPECT_NE(fake_.out.text().find("fans/1"), std::string::npos);
  EXPECT_NE(fake_.err.text().find("shard 0: away"), std::string::npos);
  EXPECT_EQ(Order(operations::LaneOrder::kPause, "fans"), ExitCode::kError);
  EXPECT_EQ(Lane(1, 0).state, LaneState::kRunning);
}

TEST_F(LaneVerb, ListSaysInJsonWhatToDo) {
  Lane(1, 0).state = LaneState::kHalted;
  Lane(1, 0).state_reason = "log_mismatch";
  fake_.session.json = true;
  EXPECT_EQ(RunLaneList(fake_.session, {}), ExitCode::kFine);
  const std::string out = fake_.out.text();
  EXPECT_NE(out.find(R"("reason":"log_mismatch")"), std::string::npos);
  EXPECT_NE(out.find("New log, new tables"), std::string::npos);
}

LaneStatus HaltedFor(const std::string& reason) {
  LaneStatus lane;
  lane.lane = {projections::kFollowing, Generation(2), Partition(3)};
  lane.state = LaneState::kHalted;
  lane.state_reason = reason;
  return lane;
}

TEST(HaltAdvice, NamesTheLaneInEveryCommand) {
  for (const char* reason : {"outcomes_truncated", "outcome_unreadable"}) {
    const std::string advice = operations::AdviceFor(HaltedFor(reason));
    EXPECT_NE(advice.find("`fanfold lane rewind following/3 --to 0 --generation 2`"),
              std::string::npos)
        << advice;
    EXPECT_NE(advice.find("`fanfold lane resume following/3 --generation 2`"), std::string::npos)
        << advice;
  }
}

TEST(HaltAdvice, IsThereForEveryReason) {
  for (const HaltReason reason : HaltReason::All()) {
    const LaneStatus lane = HaltedFor(std::string(reason.name()));
    EXPECT_EQ(operations::AdviceFor(lane).find("mend the cause"), std::string::npos)
        << reason.name();
  }
}

}  // namespace
}  // namespace fanfold::testing
