#include "writer/log_watch.h"

#include <gtest/gtest.h>

#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

TEST(LogWatch, SeesTheLogAndItsPartitions) {
  FakeLog log;
  std::atomic<std::int32_t> partitions{0};
  const LogWatch watch(log, [&](std::int32_t found) {
    partitions = found;
    return Status();
  });
  EXPECT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
  EXPECT_EQ(partitions, 4);
}

TEST(LogWatch, SeesItGoAndComeBack) {
  FakeLog log;
  const LogWatch watch(log, [](std::int32_t) { return Status(); });
  ASSERT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
  log.SetAway(true);
  EXPECT_TRUE(Eventually([&] { return !watch.reachable(); }));
  EXPECT_EQ(watch.reachable().error().code, ErrorCode::kUnavailable);
  log.SetAway(false);
  EXPECT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
}

TEST(LogWatch, ConnectsAgainUntilItHasSucceededOnce) {
  FakeLog log;
  std::atomic<int> attempts{0};
  const LogWatch watch(log, [&](std::int32_t) -> Status {
    if (++attempts == 1) return Fail(ErrorCode::kUnavailable, "not yet");
    return {};
  });
  EXPECT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
  EXPECT_EQ(attempts, 2);
}

TEST(LogWatch, RefusesAPartitionCountNobodyCanPlaceUsersIn) {
  FakeLog log;
  log.partitions = 12;
  std::atomic<bool> told{false};
  const LogWatch watch(log, [&](std::int32_t) {
    told = true;
    return Status();
  });
  EXPECT_TRUE(Eventually([&] {
    const Status status = watch.reachable();
    return !status && status.error().code == ErrorCode::kRefused;
  }));
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace fanfold::writer
