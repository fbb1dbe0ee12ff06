#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

namespace fanfold::testing {

inline constexpr std::int64_t kPatienceMs = 20'000;

// False when the condition does not hold within kPatienceMs.
inline bool WaitUntil(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace fanfold::testing
