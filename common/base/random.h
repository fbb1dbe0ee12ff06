#pragma once

#include <cstdint>

namespace fanfold {

// 64 bits from the operating system's generator: owner fences and event ids, which must not repeat
// across processes and restarts. Thread-safe.
[[nodiscard]] std::uint64_t RandomBits();

}  // namespace fanfold
