#pragma once

#include <cstdint>

namespace fanfold {

inline constexpr std::int64_t kMsPerSecond = 1'000;

// Time as a parameter. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since 1970 UTC; may go back. For what is told to people and stored in events.
  [[nodiscard]] virtual std::int64_t NowMs() const noexcept = 0;
  // Milliseconds that never go back, from an arbitrary start. For deadlines.
  [[nodiscard]] virtual std::int64_t SteadyMs() const noexcept = 0;
  // Blocks the caller for that long; a simulated clock goes on instead.
  virtual void SleepMs(std::int64_t ms) const;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowMs() const noexcept override;
  [[nodiscard]] std::int64_t SteadyMs() const noexcept override;
};

// As the kernel last wrote it down, a tick (4 ms at 250 Hz) late at the most, without reading the
// hardware: for what is asked with every request.
class TickClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowMs() const noexcept override;
  [[nodiscard]] std::int64_t SteadyMs() const noexcept override;
};

}  // namespace fanfold
