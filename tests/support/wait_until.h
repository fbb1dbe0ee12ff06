#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace fanfold::testing {

// False when the condition does not hold within 20 s.
inline bool WaitUntil(const std::function<bool()>& condition) {
  constexpr std::chrono::seconds kBound(20);
  const auto deadline = std::chrono::steady_clock::now() + kBound;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace fanfold::testing
