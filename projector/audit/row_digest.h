// Digests of sets of rows that do not depend on the order: the sum of the elements' hashes modulo
// 2^64 and their number (Bellare, Micciancio: A New Paradigm for Collision-Free Hashing, 1997:
// AdHash). They find accidents, not adversaries. Pure.
#pragma once

#include <cstdint>

#include "common/ports/row_image.h"

namespace fanfold::projector {

// The finalizer of SplitMix64, see common/base/split_mix.h.
[[nodiscard]] constexpr std::uint64_t Mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

class RowSetDigest {
 public:
  constexpr void Add(const RecordKey& key, const RowState& state) noexcept {
    if (SaysNothing(state)) return;
    sum_ += Hash(key, state);
    ++rows_;
  }
  constexpr void Remove(const RecordKey& key, const RowState& state) noexcept {
    if (SaysNothing(state)) return;
    sum_ -= Hash(key, state);
    --rows_;
  }
  [[nodiscard]] constexpr std::int64_t rows() const noexcept { return rows_; }
  friend bool operator==(const RowSetDigest&, const RowSetDigest&) = default;

 private:
  [[nodiscard]] static constexpr std::uint64_t Hash(const RecordKey& key,
                                                    const RowState& state) noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const std::uint64_t part : {key.subject.value, key.object.value, state.content,
                                     static_cast<std::uint64_t>(state.version.value)}) {
      hash = Mix(hash + part) + 0x9E3779B97F4A7C15ULL;
    }
    return hash;
  }

  std::uint64_t sum_ = 0;
  std::int64_t rows_ = 0;
};

}  // namespace fanfold::projector

template <>
struct std::hash<fanfold::RecordKey> {
  std::size_t operator()(const fanfold::RecordKey& key) const noexcept {
    return static_cast<std::size_t>(
        fanfold::projector::Mix(key.subject.value + fanfold::projector::Mix(key.object.value)));
  }
};
