// Digests of sets of edges that do not depend on the order: the sum of the elements' hashes modulo
// 2^64 and their number (Bellare, Micciancio: A New Paradigm for Collision-Free Hashing, 1997:
// AdHash). They find accidents, not adversaries. Pure.
#pragma once

#include <cstdint>

#include "common/ports/edge_store.h"
#include "common/ports/lane.h"
#include "common/relation/edge.h"
#include "common/stream/ids.h"

namespace fanfold {

// Who follows whom, whichever table says so.
struct Follow {
  UserId subject;
  UserId object;
  friend auto operator<=>(const Follow&, const Follow&) noexcept = default;
};

[[nodiscard]] constexpr Follow FollowOf(Projection projection, const EdgeKey& key) noexcept {
  const Direction list = ListsOf(projection);
  return {OwnerIn(list, key.user, key.other), OtherIn(list, key.user, key.other)};
}
[[nodiscard]] constexpr EdgeKey KeyOf(Projection projection, const Follow& follow) noexcept {
  return KeyOf(ListsOf(projection), follow.subject, follow.object);
}

// The finalizer of SplitMix64, see common/base/split_mix.h.
[[nodiscard]] constexpr std::uint64_t Mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

class EdgeSetDigest {
 public:
  constexpr void Add(const Follow& follow, const Edge& edge) noexcept {
    if (SaysNothing(edge)) return;
    sum_ += Hash(follow, edge);
    ++edges_;
  }
  constexpr void Remove(const Follow& follow, const Edge& edge) noexcept {
    if (SaysNothing(edge)) return;
    sum_ -= Hash(follow, edge);
    --edges_;
  }
  [[nodiscard]] constexpr std::int64_t edges() const noexcept { return edges_; }
  friend bool operator==(const EdgeSetDigest&, const EdgeSetDigest&) = default;

 private:
  [[nodiscard]] static constexpr std::uint64_t Hash(const Follow& follow,
                                                    const Edge& edge) noexcept {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL;
    for (const std::uint64_t part :
         {follow.subject.value, follow.object.value, static_cast<std::uint64_t>(edge.since_ms),
          static_cast<std::uint64_t>(edge.version.value), std::uint64_t{edge.active}}) {
      hash = Mix(hash + part) + 0x9E3779B97F4A7C15ULL;
    }
    return hash;
  }

  std::uint64_t sum_ = 0;
  std::int64_t edges_ = 0;
};

}  // namespace fanfold

template <>
struct std::hash<fanfold::Follow> {
  std::size_t operator()(const fanfold::Follow& follow) const noexcept {
    return static_cast<std::size_t>(
        fanfold::Mix(follow.subject.value + fanfold::Mix(follow.object.value)));
  }
};
