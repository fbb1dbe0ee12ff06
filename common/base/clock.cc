#include "common/base/clock.h"

#include <chrono>
#include <thread>

namespace fanfold {
namespace {
template <class ClockType>
std::int64_t MillisecondsOf() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(ClockType::now().time_since_epoch())
      .count();
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

}  // namespace fanfold
