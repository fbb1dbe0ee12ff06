#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace fanfold::simulation {

// Goes on when told to, and when somebody sleeps.
class SimulatedClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowMs() const noexcept override { return steady_ms_ + ahead_ms_; }
  [[nodiscard]] std::int64_t SteadyMs() const noexcept override { return steady_ms_; }
  void SleepMs(std::int64_t ms) const override { steady_ms_ += ms; }

  // The wall clock is set; what never goes back does not.
  void SetWall(std::int64_t ahead_ms) { ahead_ms_ = ahead_ms; }

 private:
  mutable std::int64_t steady_ms_ = 1'000'000;
  std::int64_t ahead_ms_ = 0;
};

}  // namespace fanfold::simulation
