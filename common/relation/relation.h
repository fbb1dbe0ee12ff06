#pragma once

#include <cstdint>
#include <string_view>

#include "common/stream/ids.h"

namespace fanfold {

// The state between two users, seen from one of them.
enum class Relation : std::uint8_t {
  kNone = 0,
  kFollowing = 1,
  kFollowedBy = 2,
  kFriend = 3,
  kSelf = 4,
};

// `friend` is never stored: it is the meeting of the two directions.
[[nodiscard]] Relation RelationOf(UserId viewer, UserId other, bool follows,
                                  bool followed_by) noexcept;

[[nodiscard]] std::string_view ToString(Relation relation) noexcept;

}  // namespace fanfold
