#include "common/base/clock.h"

#include <chrono>

namespace fanfold {
namespace {
template <class ClockType>
std::int64_t MillisecondsOf() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(ClockType::now().time_since_epoch())
      .count();
}
}  // namespace

std::int64_t SystemClock::NowMs() const noexcept {
  return MillisecondsOf<std::chrono::system_clock>();
}

std::int64_t SystemClock::SteadyMs() const noexcept {
  return MillisecondsOf<std::chrono::steady_clock>();
}

}  // namespace fanfold
