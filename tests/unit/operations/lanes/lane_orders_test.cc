#include "operations/lanes/lane_orders.h"

#include <gtest/gtest.h>

#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

class LaneOrders : public ::testing::Test {
 protected:
  LaneOrders() {
    for (const std::int32_t partition : {0, 1}) {
      lanes().push_back(testing::RunningLane(projections::kFans, partition, 7));
    }
    lanes()[0].state = LaneState::kHalted;
  }
  static LaneOrderOptions Pause(Projection projection) {
    LaneOrderOptions options;
    options.target.projection = projection;
    return options;
  }
  std::vector<LaneStatus>& lanes() { return fake_.backend.shard_states[0].lanes; }

  testing::FakeContext fake_{2};
};

TEST_F(LaneOrders, EachLaneSaysWhatCameOfTheOrder) {
  const auto told = OrderLanes(fake_.context, Pause(projections::kFans));
  ASSERT_TRUE(told);
  ASSERT_EQ(told->lanes.size(), 2U);
  EXPECT_EQ(told->lanes[0].told.error().code, ErrorCode::kRefused);
  EXPECT_TRUE(told->lanes[1].told);
  EXPECT_EQ(told->lanes[1].lane.status.state, LaneState::kRunning) << "as it was before";
  ASSERT_TRUE(told->as_they_are);
  EXPECT_EQ((*told->as_they_are)[1].status.state, LaneState::kPaused);
}

TEST_F(LaneOrders, NoSuchLaneIsAnError) {
  const auto told = OrderLanes(fake_.context, Pause(projections::kFollowing));
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, ErrorCode::kNotFound);
}

TEST_F(LaneOrders, ThoseThatAreMeantAreListed) {
  const auto listed = ListLanes(fake_.context, LaneTarget{projections::kFans, Partition(1)});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->lanes.size(), 1U);
  EXPECT_EQ(listed->lanes[0].status.lane.partition, Partition(1));
}

}  // namespace
}  // namespace fanfold::operations
