#pragma once

#include <algorithm>
#include <cstdint>

namespace fanfold {

// Doubling waits: initial, 2·initial, … up to max. Pure; whoever waits owns the clock.
class Backoff {
 public:
  constexpr Backoff(std::int64_t initial_ms, std::int64_t max_ms) noexcept
      : initial_ms_(initial_ms), max_ms_(max_ms), next_ms_(initial_ms) {}

  // How long to wait before the next attempt, in milliseconds.
  [[nodiscard]] constexpr std::int64_t Next() noexcept {
    const std::int64_t wait = next_ms_;
    next_ms_ = std::min(max_ms_, next_ms_ * 2);
    return wait;
  }

  constexpr void Reset() noexcept { next_ms_ = initial_ms_; }

 private:
  std::int64_t initial_ms_;
  std::int64_t max_ms_;
  std::int64_t next_ms_;
};

}  // namespace fanfold
