#pragma once

#include <atomic>
#include <cstdint>

#include "common/base/split_mix.h"

namespace fanfold::writer {

// Ids that are as good as never used before: 63 random bits, never 0. They are not of the time, so
// that an id tells nobody when, or how many, others were made. Thread-safe.
template <class Id>
class RandomIds {
 public:
  explicit RandomIds(std::uint64_t random_bits) noexcept : next_(random_bits) {}

  [[nodiscard]] Id Next() noexcept {
    while (true) {
      // Each number of this process once, in no order.
      SplitMix64 mixed(next_.fetch_add(1, std::memory_order_relaxed));
      const Id id(mixed.Next() >> 1U);
      if (id != Id(0)) return id;
    }
  }

 private:
  std::atomic<std::uint64_t> next_;
};

}  // namespace fanfold::writer
