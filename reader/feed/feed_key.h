// The order of posts: of a feed's, and of one author's. Pure.
//
// Both orders ascend; what is told goes down them. A bound of a feed is turned into a bound of an
// author's posts, so that these are compared without their author.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "common/post/listed_post.h"
#include "common/stream/ids.h"

namespace fanfold::reader {

// Below and above every post there may be.
inline constexpr PostPlace kBelowAll{std::numeric_limits<std::int64_t>::min(), PostId(0)};
inline constexpr PostPlace kAboveAll{std::numeric_limits<std::int64_t>::max(),
                                     PostId(std::numeric_limits<std::uint64_t>::max())};

// Where a post stands in every feed. It is a feed's cursor too, whether or not such a post is
// there.
struct FeedKey {
  std::int64_t score = 0;
  UserId author;
  PostId post;

  constexpr FeedKey() noexcept = default;
  constexpr FeedKey(UserId of, const PostPlace& key) noexcept
      : score(key.score), author(of), post(key.post) {}

  [[nodiscard]] constexpr PostPlace InAuthor() const noexcept { return {score, post}; }
  friend constexpr auto operator<=>(const FeedKey&, const FeedKey&) noexcept = default;
};

// The least key above this one.
[[nodiscard]] constexpr PostPlace Next(const PostPlace& key) noexcept {
  return {key.score, PostId(key.post.value + 1)};
}
[[nodiscard]] constexpr FeedKey Next(const FeedKey& key) noexcept {
  return {key.author, Next(key.InAuthor())};
}

// The author's posts below the result are those that stand below `bound` in a feed.
[[nodiscard]] constexpr PostPlace BoundIn(UserId author, const FeedKey& bound) noexcept {
  if (author == bound.author) return bound.InAuthor();
  return {bound.score, PostId(author < bound.author ? kPostIdMax + 1 : 0)};
}

// Opaque to callers: letters, digits and '-'.
[[nodiscard]] std::string EncodeFeedCursor(const FeedKey& cursor);
[[nodiscard]] std::optional<FeedKey> DecodeFeedCursor(std::string_view text) noexcept;

}  // namespace fanfold::reader
