#include <gtest/gtest.h>
#include <string>

#include "cli/deployment/config.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

// What a check says of so many settings.
std::string CheckSaysOf(std::size_t set, std::size_t by_default) {
  testing::FakeSession fake(1);
  Configured configured;
  for (std::size_t i = 0; i < set + by_default; ++i) {
    configured.values.push_back(
        {&Settings()[i], {}, std::string(i < set ? "fanfold.toml:1" : kFromDefault)});
  }
  EXPECT_EQ(RunConfigCheck(configured, {}, {}, /*json=*/false, fake.console), ExitCode::kFine);
  return fake.out.text();
}

TEST(ConfigCheck, SaysHowManySettingsAreSet) {
  EXPECT_EQ(CheckSaysOf(1, 3), "fine: 1 setting is set, 3 have their defaults\n");
  EXPECT_EQ(CheckSaysOf(2, 1), "fine: 2 settings are set, 1 has its default\n");
  EXPECT_EQ(CheckSaysOf(0, 2), "fine: 0 settings are set, 2 have their defaults\n");
}

}  // namespace
}  // namespace fanfold
