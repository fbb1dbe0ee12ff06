// Lists of an author's posts: newest first by (score, post id), both descending.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/post/post_event.h"

namespace fanfold {

// Where a post stands in its author's list.
struct PostPlace {
  std::int64_t score = 0;
  PostId post;
  // The lesser one is listed later.
  friend constexpr auto operator<=>(const PostPlace&, const PostPlace&) noexcept = default;
};

// An author's posts beside a bound.
struct PostStretch {
  enum class Side : std::uint8_t {
    kBelow,      // the newest below it, newest first
    kAtOrAbove,  // the oldest at or above it, oldest first
  };
  UserId author;
  Side side = Side::kBelow;
  PostPlace bound;
  friend bool operator==(const PostStretch&, const PostStretch&) = default;
};

struct ListedPost {
  PostPlace place;
  std::int64_t post_type = 0;
  std::string content;
  friend bool operator==(const ListedPost&, const ListedPost&) = default;
};

// The cursor of a page that begins behind that place, whether a post stands there or not. Opaque to
// callers: letters, digits, '-' and '_'.
[[nodiscard]] std::string EncodePostCursor(const PostPlace& place);
[[nodiscard]] std::optional<PostPlace> DecodePostCursor(std::string_view text) noexcept;

}  // namespace fanfold
