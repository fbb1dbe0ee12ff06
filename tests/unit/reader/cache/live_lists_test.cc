#include "reader/cache/live_lists.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>

#include "tests/support/wait_until.h"
#include "tests/unit/reader/cache/world.h"

namespace fanfold::testing {

using namespace reader;
namespace {

// While Kafka is away every cold read would wait on a thread of the pool.
TEST(LiveLists, WhereRStandsNobodyWaitsASecondTime) {
  constexpr std::int64_t kLongMs = 60'000;
  World world;
  const UserId user(1);
  const Partition partition = world.deployment().placement.PartitionOf(user);
  world.Decide(user, UserId(8), true, 1);
  world.Decide(user, UserId(9), true, 2);
  const ViewPosition position{.following = Offset(2), .fans = {}};
  const LiveLists::Source source{
      Direction::kFollowing, user, &position,
      world.live.NewTicket(world.deployment().placement.ShardOf(user), {})};
  const auto wait = [&] {
    return std::async(std::launch::async,
                      [&] { return world.live.WaitForReader(source, kLongMs); });
  };
  EXPECT_FALSE(world.live.WaitForReader(source, LiveLists::kStoodMs));
  std::future<bool> second = wait();
  EXPECT_TRUE(WaitUntil(
      [&] { return second.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
  EXPECT_FALSE(second.get());
  world.MoveReader(partition, 1);
  std::future<bool> third = wait();
  EXPECT_EQ(third.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  world.MoveReader(partition, 2);
  EXPECT_TRUE(third.get());
}

}  // namespace
}  // namespace fanfold::testing
