#include "reader/freshness/position_gate.h"

#include <chrono>
#include <gtest/gtest.h>

#include "reader/cache/live_lists.h"
#include "reader/freshness/position_waits.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

// The reader stands at 5 in partition 0 and at 2 in partition 1.
class PositionGateTest : public ::testing::Test {
 protected:
  PositionGateTest() {
    live_.Start(Placement::Modulo({4, 2}), {Offset(5), Offset(2), Offset(0), Offset(0)});
  }
  [[nodiscard]] bool Reached(std::vector<StreamPosition> positions) {
    return gate_.Reached({std::move(positions), {}, false});
  }
  static StreamPosition At(std::int32_t partition, std::int64_t event) {
    return {streams::kRelations, {Partition(partition), Offset(event)}};
  }

  testing::FakeClock clock_;
  Metrics metrics_;
  PositionBoard board_{clock_, {4, 2}};
  LiveLists live_{2, {}, metrics_};
  PositionGate gate_{board_, FollowsRelations(live_)};
};

TEST_F(PositionGateTest, APositionIsPassedOnceItsEventIsAmongTheAnswers) {
  EXPECT_TRUE(live_.Passed(At(0, 4).position));
  EXPECT_FALSE(live_.Passed(At(0, 5).position))
      << "the reader's position is the first event that is not";
  EXPECT_TRUE(Reached({At(1, 1)}));
  EXPECT_FALSE(Reached({At(1, 2)}));
}

TEST_F(PositionGateTest, AllPositionsHaveToBePassed) {
  EXPECT_TRUE(Reached({At(0, 4), At(1, 1)}));
  EXPECT_FALSE(Reached({At(0, 4), At(1, 2)}));
  EXPECT_FALSE(Reached({At(1, 2), At(0, 4)}));
  EXPECT_TRUE(Reached({}));
}

// With a look in 20 s, or at once where somebody watches.
TEST_F(PositionGateTest, LanesAreWatchedOnlyForThoseWhoWaitForThem) {
  constexpr std::int64_t kIdleMs = 20'000;
  const LaneNeed lane{{projections::kFans, Generation(1), Partition(0)}, Shard(0), Offset(5)};
  const PositionNeed of_reader{{At(0, 5)}, {lane}, false};
  const PositionNeed of_tables{{At(0, 5)}, {lane}, true};
  PositionWaits waits(gate_, clock_);
  const auto add_and_end = [&](const PositionNeed& need) {
    ASSERT_TRUE(waits.Add(need, clock_.SteadyMs(), [](bool) {}));
    waits.Recheck();
  };
  EXPECT_FALSE(gate_.Watch(of_reader));
  add_and_end(of_reader);
  add_and_end(of_tables);
  EXPECT_TRUE(gate_.Watch(of_tables));
  const auto began = std::chrono::steady_clock::now();
  board_.WaitForTurn(Shard(0), kIdleMs, 0, {});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(kIdleMs));
  gate_.Unwatch(of_tables);
  ASSERT_TRUE(waits.Add(of_reader, clock_.SteadyMs() + 1, [](bool) {}));
  live_.Stop();
  waits.Recheck();
  board_.WaitForTurn(Shard(0), kIdleMs, 0, {});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(kIdleMs))
      << "the reader's position was given up while the caller waited";
}

}  // namespace
}  // namespace fanfold::reader
