#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace fanfold::testing {

// Stands still until it is set. One thread.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowMs() const noexcept override { return now_ms; }
  [[nodiscard]] std::int64_t SteadyMs() const noexcept override { return now_ms; }
  std::int64_t now_ms = 1'000'000;
};

}  // namespace fanfold::testing
