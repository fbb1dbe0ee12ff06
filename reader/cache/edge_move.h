#pragma once

#include <cstdint>
#include <optional>

#include "common/ports/lane.h"
#include "common/relation/event.h"
#include "common/relation/ids.h"

namespace fanfold {

// An edge that an outcome made or ended.
struct EdgeMove {
  UserId subject;
  UserId object;
  std::int64_t since_ms = 0;
  Position position;  // of the event
  bool joins = false;

  // Nothing for an outcome that left every row as it was.
  [[nodiscard]] static std::optional<EdgeMove> Of(const Outcome& outcome);
};

[[nodiscard]] constexpr ProjectionKind Reverse(ProjectionKind list) noexcept {
  return list == ProjectionKind::kFollowing ? ProjectionKind::kFans : ProjectionKind::kFollowing;
}

// Whose list a move is part of, and who joins or leaves it.
[[nodiscard]] constexpr UserId OwnerIn(ProjectionKind list, const EdgeMove& move) noexcept {
  return list == ProjectionKind::kFollowing ? move.subject : move.object;
}
[[nodiscard]] constexpr UserId OtherIn(ProjectionKind list, const EdgeMove& move) noexcept {
  return list == ProjectionKind::kFollowing ? move.object : move.subject;
}

}  // namespace fanfold
