// Checks of the lanes and their work. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "common/ports/lane.h"
#include "common/ports/projection_reader.h"
#include "operations/doctor/check.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {

// Every lane of the generations that are read runs.
[[nodiscard]] Check CheckLanes(std::span<const ShardLane> lanes);

struct ProjectorFacts {
  Projection projection;
  std::int32_t processes = 0;
  std::set<std::string> owners;  // of its lanes that say running
};
// A process runs for each projection.
[[nodiscard]] Check CheckProjectors(std::span<const ProjectorFacts> projectors);

struct LoadingGeneration {
  Projection projection;
  Generation generation{1};
  bool is_held = false;  // a command is at it
};
// None was left half loaded, or half dropped.
[[nodiscard]] Check CheckGenerations(std::span<const LoadingGeneration> loading);

struct ParkedCount {
  std::size_t records = 0;
  bool more = false;  // there are more than were counted
};
[[nodiscard]] Check CheckParked(const ParkedCount& parked);

// Younger work is still being done.
inline constexpr std::int64_t kOpenWorkMaxMs = 900'000;
// Nothing that rows say is begun has been so for long.
[[nodiscard]] Check CheckOpenWork(const PerProjection<OpenWork>& open, std::int64_t now_ms);

// Events that are younger are on their way.
inline constexpr std::int64_t kLagMaxMs = 10'000;

struct LagFacts {
  std::int64_t events = 0;     // that are not in the tables yet
  std::int64_t oldest_ms = 0;  // age of the oldest of them
};
[[nodiscard]] Check CheckLag(const LagFacts& lag);

}  // namespace fanfold::operations
