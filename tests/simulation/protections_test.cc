// The simulation bites: without each protection some seeds fail, with all of them none does.
#include <gtest/gtest.h>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>

#include "common/base/logging.h"
#include "tests/simulation/seeds.h"
#include "tests/simulation/simulation.h"

namespace fanfold::simulation {

void PrintTo(Protection protection, std::ostream* out) { *out << NameOf(protection); }

namespace {

// Sanitizers take some twenty times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSlower = 10;
#else
constexpr std::uint64_t kSlower = 1;
#endif
constexpr std::uint64_t kSeeds = 200 / kSlower;
// Within which what a protection keeps off is met, rare as it may be.
constexpr std::uint64_t kSeedsMax = 2'000;

bool IsOfOperators(Protection protection) {
  return protection == Protection::kRepairsFenced || protection == Protection::kOneMoment ||
         protection == Protection::kLoadInTransaction || protection == Protection::kRepairsProve;
}

Summary RunUntilOneFails(Protection without) {
  return RunSeeds({.count = kSeedsMax,
                   .without = without,
                   .operated = IsOfOperators(without),
                   .to_first_failure = true});
}

class Quiet : public ::testing::Environment {
  void SetUp() override { StartLogging("simulation", LogLevel::kError); }
};
const auto* const kQuiet = ::testing::AddGlobalTestEnvironment(new Quiet);

class Protections : public ::testing::TestWithParam<Protection> {};

TEST_P(Protections, WithoutOneSomeSeedsFail) {
  const Summary summary = RunUntilOneFails(GetParam());
  ASSERT_TRUE(summary.first_failure.has_value());
  std::cout << "seed " << summary.first_failure->seed << ": " << summary.first_failure->why << '\n';
}

std::string TestName(const ::testing::TestParamInfo<Protection>& param_info) {
  std::string name(NameOf(param_info.param));
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(TakenOut, Protections,
                         ::testing::Values(Protection::kFence, Protection::kVersionGuard,
                                           Protection::kRelayOrder, Protection::kCountInTransaction,
                                           Protection::kRecordedOutcomes,
                                           Protection::kOutboxInTransaction,
                                           Protection::kOutboxRecorded, Protection::kRewoundViews,
                                           Protection::kOneDecider, Protection::kAwaitedTables,
                                           Protection::kProfileVersions, Protection::kRepairsFenced,
                                           Protection::kOneMoment, Protection::kLoadInTransaction,
                                           Protection::kLanesProve, Protection::kRepairsProve,
                                           Protection::kErasuresProve, Protection::kEndsKnown,
                                           Protection::kFansReopen),
                         TestName);

TEST(Simulation, WithAllProtectionsTheSameSeedsHold) {
  const Summary summary = RunSeeds({.count = kSeeds});
  EXPECT_EQ(summary.seeds, kSeeds);
  EXPECT_FALSE(summary.first_failure.has_value())
      << "seed " << summary.first_failure->seed << ": " << summary.first_failure->why;
}

TEST(Simulation, ASeedRepeatsItsScheduleAndItsFinalState) {
  Series series;
  const RunResult once = Simulation(7, {}, series, nullptr).Run();
  const RunResult again = Simulation(7, {}, series, nullptr).Run();
  const RunResult other = Simulation(8, {}, series, nullptr).Run();
  EXPECT_EQ(once.schedule, again.schedule);
  EXPECT_EQ(once.state, again.state);
  EXPECT_NE(once.schedule, other.schedule);
  EXPECT_NE(once.state, other.state);
}

TEST(Simulation, AFailedSeedFailsAgain) {
  const Summary summary = RunUntilOneFails(Protection::kFence);
  ASSERT_TRUE(summary.first_failure.has_value());
  Series series;
  const RunResult again =
      Simulation(summary.first_failure->seed, {Protection::kFence}, series, nullptr).Run();
  EXPECT_EQ(again.failure, summary.first_failure->why);
}

}  // namespace
}  // namespace fanfold::simulation
