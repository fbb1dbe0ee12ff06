#include "common/base/cause_filter.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace fanfold {
namespace {

TEST(CauseFilter, TellsACauseOnceAndLaterHowOftenItCame) {
  CauseFilter filter;
  EXPECT_EQ(filter.Tell("no index", 0), 1);
  for (int i = 1; i <= 720; ++i) EXPECT_EQ(filter.Tell("no index", i), 0);
  EXPECT_EQ(filter.Tell("no table", 5), 1);
  EXPECT_EQ(filter.Tell("no index", CauseFilter::kAgainMs), 721);
  EXPECT_EQ(filter.Tell("no index", CauseFilter::kAgainMs + 1), 0);
}

TEST(CauseFilter, CausesWithoutEndAreBounded) {
  CauseFilter filter;
  std::int64_t told = 0;
  for (std::size_t i = 0; i < 10 * CauseFilter::kCausesMax; ++i) {
    told += filter.Tell("cause " + std::to_string(i), 0);
  }
  EXPECT_EQ(told, static_cast<std::int64_t>(CauseFilter::kCausesMax));
  EXPECT_EQ(filter.Tell("another", CauseFilter::kAgainMs), 1);
}

TEST(CauseFilter, WhatItTellsIsLogged) {
  CauseFilter filter;
  ::testing::internal::CaptureStderr();
  for (const std::int64_t now_ms : {0, 1, 2}) {
    LogCause(filter, LogLevel::kError, "reads fail", "no index", now_ms);
  }
  LogCause(filter, LogLevel::kError, "reads fail", "no index", CauseFilter::kAgainMs);
  const std::string lines = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 2) << lines;
  EXPECT_TRUE(lines.contains("no index") && lines.contains("3")) << lines;
}

TEST(CauseFilter, CausesThatDoNotComeAgainKeepNobodysPlace) {
  CauseFilter filter;
  for (int times = 0; times < 2; ++times) {
    for (std::size_t i = 0; i < CauseFilter::kCausesMax; ++i) {
      (void)filter.Tell("cause " + std::to_string(i), static_cast<std::int64_t>(i));
    }
  }
  EXPECT_EQ(filter.Tell("another", CauseFilter::kAgainMs - 1), 0) << "within the time of all";
  EXPECT_EQ(filter.Tell("another", CauseFilter::kAgainMs), 1) << "the oldest goes";
  EXPECT_EQ(filter.Tell("cause 1", CauseFilter::kAgainMs + 1), 2) << "the others stay";
  EXPECT_EQ(filter.Tell("a third", CauseFilter::kAgainMs + 1), 0);
}

}  // namespace
}  // namespace fanfold
