#include "common/base/clock.h"

#include <chrono>
#include <ctime>
#include <thread>

namespace fanfold {
namespace {
template <class ClockType>
std::int64_t MillisecondsOf() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(ClockType::now().time_since_epoch())
      .count();
}

std::int64_t MillisecondsOf(clockid_t clock) noexcept {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  timespec now{};
  clock_gettime(clock, &now);  // cannot fail: both are of Linux since 2.6.32
  return now.tv_sec * kMsPerSecond + now.tv_nsec / kNsPerMs;
}
}  // namespace

void Clock::SleepMs(std::int64_t ms) const {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

std::int64_t SystemClock::NowMs() const noexcept {
  return MillisecondsOf<std::chrono::system_clock>();
}

std::int64_t SystemClock::SteadyMs() const noexcept {
  return MillisecondsOf<std::chrono::steady_clock>();
}

std::int64_t TickClock::NowMs() const noexcept { return MillisecondsOf(CLOCK_REALTIME_COARSE); }

std::int64_t TickClock::SteadyMs() const noexcept { return MillisecondsOf(CLOCK_MONOTONIC_COARSE); }

}  // namespace fanfold
