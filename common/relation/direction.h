// The two directions in which an edge is listed.
#pragma once

#include <cstdint>

#include "common/stream/ids.h"

namespace fanfold {

// A list of a user: those whom the user follows, or the user's fans. Statements use the number.
enum class Direction : std::uint8_t { kFollowing = 1, kFans = 2 };

[[nodiscard]] constexpr Direction Reverse(Direction list) noexcept {
  return list == Direction::kFollowing ? Direction::kFans : Direction::kFollowing;
}

// The user in whose list of this direction the edge stands, and the one listed there.
[[nodiscard]] constexpr UserId OwnerIn(Direction list, UserId subject, UserId object) noexcept {
  return list == Direction::kFollowing ? subject : object;
}
[[nodiscard]] constexpr UserId OtherIn(Direction list, UserId subject, UserId object) noexcept {
  return OwnerIn(Reverse(list), subject, object);
}

}  // namespace fanfold
