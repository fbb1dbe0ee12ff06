#include "reader/position_gate.h"

#include <gtest/gtest.h>

#include "tests/unit/reader/fake_tables.h"

namespace fanfold {
namespace {

// R stands at 5 in partition 0 and at 2 in partition 1.
class PositionGateTest : public ::testing::Test {
 protected:
  PositionGateTest() { live_.Start(Placement(4, 2), {Offset(5), Offset(2), Offset(0), Offset(0)}); }
  [[nodiscard]] bool Reached(std::vector<Position> positions) {
    return gate_.Reached({std::move(positions), {}, false});
  }
  static Position At(std::int32_t partition, std::int64_t event) {
    return {Partition(partition), Offset(event)};
  }

  testing::FakeClock clock_;
  Metrics metrics_;
  PositionBoard board_{clock_, 2};
  LiveLists live_{2, {}, metrics_};
  PositionGate gate_{board_, live_};
};

TEST_F(PositionGateTest, APositionIsPassedOnceItsEventIsAmongTheAnswers) {
  EXPECT_TRUE(live_.Passed(At(0, 4)));
  EXPECT_FALSE(live_.Passed(At(0, 5))) << "R is the first event that is not";
  EXPECT_TRUE(Reached({At(1, 1)}));
  EXPECT_FALSE(Reached({At(1, 2)}));
}

TEST_F(PositionGateTest, AllPositionsHaveToBePassed) {
  EXPECT_TRUE(Reached({At(0, 4), At(1, 1)}));
  EXPECT_FALSE(Reached({At(0, 4), At(1, 2)}));
  EXPECT_FALSE(Reached({At(1, 2), At(0, 4)}));
  EXPECT_TRUE(Reached({}));
}

}  // namespace
}  // namespace fanfold
