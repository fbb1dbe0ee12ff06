#pragma once

#include <cstdint>

namespace fanfold {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). The
// same numbers everywhere, which the standard library's distributions do not promise.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] constexpr std::uint64_t Next() noexcept {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  // 0 ≤ number < bound, by Lemire's multiplication (Fast random integer generation in an interval,
  // 2019) without its rejection: the bias is below bound / 2^64.
  [[nodiscard]] constexpr std::uint64_t Below(std::uint64_t bound) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(Next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace fanfold
