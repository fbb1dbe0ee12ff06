// The two directions in which an edge is listed.
#pragma once

#include <cstdint>

#include "common/stream/ids.h"

namespace fanfold {

// Which list of a user: whom he follows, or who follows him. Statements tell it by number.
enum class Direction : std::uint8_t { kFollowing = 1, kFans = 2 };

[[nodiscard]] constexpr Direction Reverse(Direction list) noexcept {
  return list == Direction::kFollowing ? Direction::kFans : Direction::kFollowing;
}

// Whose list in this direction the edge stands in, and who is listed there.
[[nodiscard]] constexpr UserId OwnerIn(Direction list, UserId subject, UserId object) noexcept {
  return list == Direction::kFollowing ? subject : object;
}
[[nodiscard]] constexpr UserId OtherIn(Direction list, UserId subject, UserId object) noexcept {
  return OwnerIn(Reverse(list), subject, object);
}

}  // namespace fanfold
