#include "bench/everyday.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace fanfold::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kUsers = EverydayFollows::kUsers;

template <class Value>
bool AreDifferent(std::vector<Value> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

TEST(EverydayFollows, EachUserFollowsAndIsFollowedOnceBeforeAnybodyIsAgain) {
  const EverydayFollows follows;
  std::vector<std::uint64_t> users;
  std::vector<std::uint64_t> others;
  for (std::uint64_t i = 0; i < kUsers; ++i) {
    users.push_back(follows[i].user);
    others.push_back(follows[i].other);
  }
  EXPECT_TRUE(AreDifferent(users));
  EXPECT_TRUE(AreDifferent(others));
}

TEST(EverydayFollows, NobodyFollowsHimselfAndNobodyTheSameTwice) {
  const EverydayFollows follows;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::uint64_t i = 0; i < 2 * kUsers; ++i) {
    const auto [user, other] = follows[i];
    ASSERT_NE(user, other);
    pairs.emplace_back(user, other);
  }
  EXPECT_TRUE(AreDifferent(pairs));
}

TEST(EverydaySchedule, AnOpenLoopIsDueEvenlyWhateverTheTimeAndAClosedOneNow) {
  const EverydaySchedule open({0, seconds(2), 1, 1000});
  EXPECT_EQ(open.Due(0, open.end()), open.start());
  EXPECT_EQ(open.Due(1500, open.start()), open.start() + milliseconds(1500));
  EXPECT_EQ(open.Due(2000, open.start()), open.end());
  const EverydaySchedule closed({0, seconds(2), 1, 0});
  const Clock::time_point now = closed.start() + milliseconds(7);
  EXPECT_EQ(closed.Due(1500, now), now);
}

// What was waited for in vain is among the times, and no write.
TEST(WriteTimes, TellsAllThatWasDue) {
  const Clock::time_point start;
  WriteTimes times;
  WriteTimes others;
  for (int i = 1; i <= 98; ++i) times.Seen(start, start + milliseconds(i));
  times.Acked(start, start + milliseconds(3));
  times.Refused(409);
  others.Refused(503);
  others.Refused(503);
  others.Seen(start, start + seconds(2));
  others.Left(start, start + seconds(9));
  times.Add(others);
  EXPECT_EQ(times.Json(start),
            "{\"writes\":99,\"left\":1,\"refused_409\":1,\"refused_503\":2,\"seconds\":2.000,"
            "\"per_second\":49.5,\"p50_ms\":51.000,\"p99_ms\":9000.000,\"acked_p50_ms\":3.000,"
            "\"acked_p99_ms\":3.000}");
}

TEST(WriteTimes, OfNothingAreNone) {
  EXPECT_NE(WriteTimes().Json(Clock::now()).find("\"per_second\":0.0,\"p50_ms\":0.000"),
            std::string::npos);
}

}  // namespace
}  // namespace fanfold::bench
