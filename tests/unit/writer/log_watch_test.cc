#include "writer/log_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

Status Allowed() { return {}; }

// Saying so, and nobody connects.
void ExpectRefused(FakeLog& log, std::int32_t partitions, const char* why) {
  std::atomic<bool> told{false};
  const LogWatch watch(
      log, partitions,
      [&] {
        told = true;
        return Status();
      },
      &Allowed);
  EXPECT_TRUE(Eventually([&] {
    const Status status = watch.reachable();
    return !status && status.error().code == ErrorCode::kRefused;
  }));
  EXPECT_THAT(watch.reachable().error().message, ::testing::HasSubstr(why));
  EXPECT_FALSE(told);
}

TEST(LogWatch, SeesTheLogAlsoWhereItsTopicsHaveMorePartitions) {
  for (const std::int32_t there : {4, 5, 8}) {
    FakeLog log;
    log.partitions = there;
    log.empty_from = 4;
    std::atomic<bool> told{false};
    const LogWatch watch(
        log, 4,
        [&] {
          told = true;
          return Status();
        },
        &Allowed);
    EXPECT_TRUE(Eventually([&] { return watch.reachable().has_value(); })) << there;
    EXPECT_TRUE(told);
  }
}

TEST(LogWatch, RefusesFewerPartitionsThanTheDeploymentDecidesIn) {
  FakeLog log;
  log.partitions = 8;
  log.empty_from = 6;
  ExpectRefused(log, 4, "decided in partitions from 4 on: correct `partitions`");
}

TEST(LogWatch, SeesItGoAndComeBack) {
  FakeLog log;
  const LogWatch watch(log, 4, &Allowed, &Allowed);
  ASSERT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
  log.SetAway(true);
  EXPECT_TRUE(Eventually([&] { return !watch.reachable(); }));
  EXPECT_EQ(watch.reachable().error().code, ErrorCode::kUnavailable);
  log.SetAway(false);
  EXPECT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
}

TEST(LogWatch, SeesThatItMayNotAppendAndThatItMayAgain) {
  FakeLog log;
  std::atomic<bool> may{true};
  const LogWatch watch(log, 4, &Allowed, [&]() -> Status {
    if (!may) return Fail(ErrorCode::kRefused, "the right Write is missing");
    return {};
  });
  ASSERT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
  may = false;
  ASSERT_TRUE(Eventually([&] { return !watch.reachable(); }));
  EXPECT_EQ(watch.reachable().error().code, ErrorCode::kRefused);
  EXPECT_EQ(watch.reachable().error().message, "the right Write is missing");
  may = true;
  EXPECT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
}

TEST(LogWatch, ConnectsAgainUntilItHasSucceededOnce) {
  FakeLog log;
  std::atomic<int> attempts{0};
  const LogWatch watch(
      log, 4,
      [&]() -> Status {
        if (++attempts == 1) return Fail(ErrorCode::kUnavailable, "not yet");
        return {};
      },
      &Allowed);
  EXPECT_TRUE(Eventually([&] { return watch.reachable().has_value(); }));
  EXPECT_EQ(attempts, 2);
}

TEST(LogWatch, RefusesTopicsThatHaveFewerPartitionsNamingBoth) {
  FakeLog log;
  ExpectRefused(log, 8, "relation-events has 4 partitions, the deployment 8");
}

}  // namespace
}  // namespace fanfold::writer
