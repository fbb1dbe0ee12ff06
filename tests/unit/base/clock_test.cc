#include "common/base/clock.h"

#include <gtest/gtest.h>

namespace fanfold {
namespace {

// Both tell the same times; a machine that stands still between two questions makes them differ.
constexpr std::int64_t kApartMsMax = 10'000;

TEST(TickClock, IsBehindTheSystemsByATick) {
  const SystemClock system;
  const TickClock ticks;
  const std::int64_t now_ms = ticks.NowMs();
  const std::int64_t steady_ms = ticks.SteadyMs();
  EXPECT_LE(now_ms, system.NowMs());
  EXPECT_LE(steady_ms, system.SteadyMs());
  EXPECT_LT(system.NowMs() - now_ms, kApartMsMax);
  EXPECT_LT(system.SteadyMs() - steady_ms, kApartMsMax);
}

}  // namespace
}  // namespace fanfold
