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

constexpr std::uint64_t kOperatedSeeds = 50 / kSlower;  // each takes a tenth of a second

bool IsOfOperators(Protection protection) {
  return protection == Protection::kRepairsFenced || protection == Protection::kOneMoment ||
         protection == Protection::kLoadInTransaction;
}

Summary RunUntilOneFails(Protection without) {
  const bool operated = IsOfOperators(without);
  const std::uint64_t seeds = operated ? kOperatedSeeds : kSeeds;
  Summary summary;
  for (std::uint64_t first = 1; first <= kSeedsMax && !summary.first_failure; first += seeds) {
    summary = RunSeeds({.first = first, .count = seeds, .without = without, .operated = operated});
  }
  return summary;
}

class Quiet : public ::testing::Environment {
  void SetUp() override { StartLogging("simulation", LogLevel::kError); }
};
const auto* const kQuiet = ::testing::AddGlobalTestEnvironment(new Quiet);

class Protections : public ::testing::TestWithParam<Protection> {};

TEST_P(Protections, WithoutOneSomeSeedsFail) {
  const Summary summary = RunUntilOneFails(GetParam());
  ASSERT_TRUE(summary.first_failure.has_value());
  std::cout << summary.failed << " of " << summary.seeds << " seeds fail, the first by: seed "
            << summary.first_failure->seed << ", " << summary.first_failure->why << '\n';
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
                                           Protection::kOneMoment, Protection::kLoadInTransaction),
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
