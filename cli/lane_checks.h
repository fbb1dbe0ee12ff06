// What can be wrong with the lanes and their work. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cli/check.h"
#include "cli/lanes.h"

namespace fanfold {

// Every lane of the generations that are read runs.
[[nodiscard]] Check CheckLanes(std::span<const ShardLane> lanes);

struct ParkedCount {
  std::size_t records = 0;
  bool more = false;  // there are more than were counted
};
[[nodiscard]] Check CheckParked(const ParkedCount& parked);

// Events that are younger are on their way.
inline constexpr std::int64_t kLagMaxMs = 10'000;

struct LagFacts {
  std::int64_t events = 0;     // that are not in the tables yet
  std::int64_t oldest_ms = 0;  // age of the oldest of them
};
[[nodiscard]] Check CheckLag(const LagFacts& lag);

}  // namespace fanfold
