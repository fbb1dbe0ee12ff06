#include "operations/log/import_time.h"

#include <gtest/gtest.h>
#include <ostream>

namespace fanfold::operations {
namespace {

constexpr auto kMs = TimeUnit::kMs;
constexpr auto kSeconds = TimeUnit::kSeconds;
constexpr auto kIso = TimeUnit::kIso8601;
constexpr std::int64_t kMoment = 1'655'884'250'000;  // 2022-06-22T07:50:50Z

struct TimeCase {
  TimeUnit unit;
  const char* text;
  std::int64_t ms;
  friend void PrintTo(const TimeCase& test, std::ostream* out) { *out << test.text; }
};

class TimeTest : public ::testing::TestWithParam<TimeCase> {};

TEST_P(TimeTest, IsRead) {
  EXPECT_EQ(ParseTimeIn(GetParam().unit, GetParam().text), GetParam().ms);
}

INSTANTIATE_TEST_SUITE_P(
    Times, TimeTest,
    ::testing::Values(TimeCase{kMs, "0", 0}, TimeCase{kMs, "1655884250592", kMoment + 592},
                      TimeCase{kMs, "9223372036854775807", 9'223'372'036'854'775'807},
                      TimeCase{kSeconds, "1655884250", kMoment},
                      TimeCase{kSeconds, "1655884250.5", kMoment + 500},
                      TimeCase{kSeconds, "1655884250.592999", kMoment + 592},
                      TimeCase{kSeconds, "9223372036854775.807", 9'223'372'036'854'775'807},
                      TimeCase{kIso, "1970-01-01", 0},
                      TimeCase{kIso, "2022-06-22T07:50:50Z", kMoment},
                      TimeCase{kIso, "2022-06-22 07:50:50", kMoment},
                      TimeCase{kIso, "2022-06-22 07:50:50 UTC", kMoment},
                      TimeCase{kIso, "2022-06-22T07:50:50.592Z", kMoment + 592},
                      TimeCase{kIso, "2022-06-22 07:50:50,592999", kMoment + 592},
                      TimeCase{kIso, "2022-06-22 09:50:50+02", kMoment},
                      TimeCase{kIso, "2022-06-22T09:50:50+0200", kMoment},
                      TimeCase{kIso, "2022-06-22T02:20:50.000-05:30", kMoment},
                      TimeCase{kIso, "2024-02-29", 1'709'164'800'000},
                      TimeCase{kIso, "9999-12-31T23:59:59.999Z", 253'402'300'799'999}));

class NoTimeTest : public ::testing::TestWithParam<TimeCase> {};

TEST_P(NoTimeTest, IsRefused) {
  EXPECT_EQ(ParseTimeIn(GetParam().unit, GetParam().text), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
    Times, NoTimeTest,
    ::testing::Values(
        TimeCase{kMs, "", 0}, TimeCase{kMs, "-1", 0}, TimeCase{kMs, "1.5", 0},
        TimeCase{kMs, "2022-06-22", 0}, TimeCase{kSeconds, "", 0}, TimeCase{kSeconds, "-1", 0},
        TimeCase{kSeconds, "1.", 0}, TimeCase{kSeconds, ".5", 0}, TimeCase{kSeconds, "1e9", 0},
        TimeCase{kSeconds, "1.5s", 0}, TimeCase{kSeconds, "9223372036854775.808", 0},
        TimeCase{kIso, "", 0}, TimeCase{kIso, "1655884250", 0}, TimeCase{kIso, "0000-00-00", 0},
        TimeCase{kIso, "1969-12-31T23:59:59Z", 0}, TimeCase{kIso, "1970-01-01T00:30:00+01", 0},
        TimeCase{kIso, "2023-02-29", 0}, TimeCase{kIso, "2022-13-01", 0},
        TimeCase{kIso, "2022-6-22", 0}, TimeCase{kIso, "22.06.2022", 0},
        TimeCase{kIso, "2022-06-22T", 0}, TimeCase{kIso, "2022-06-22T07:50", 0},
        TimeCase{kIso, "2022-06-22T24:00:00Z", 0}, TimeCase{kIso, "2022-06-22T07:50:50.Z", 0},
        TimeCase{kIso, "2022-06-22T07:50:50+2", 0}, TimeCase{kIso, "2022-06-22T07:50:50 CET", 0},
        TimeCase{kIso, "2022-06-22T07:50:50Z ", 0}));

TEST(TimeSpan, WidensToBothSides) {
  std::optional<TimeSpan> span;
  for (const std::int64_t ms : {5, 3, 9, 4}) span = Widened(span, ms);
  EXPECT_EQ(span, (TimeSpan{3, 9}));
}

}  // namespace
}  // namespace fanfold::operations
