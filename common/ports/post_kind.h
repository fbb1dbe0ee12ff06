// Posts as a kind of rows: `other` is the post's id. Their content is a digest of all they say and,
// lowest, whether they are there.
#pragma once

#include "common/ports/row_kinds.h"
#include "common/post/post_row.h"

namespace fanfold {

[[nodiscard]] constexpr RowKey KeyOf(UserId author, PostId post) noexcept {
  return {author, UserId(post.value)};
}
[[nodiscard]] constexpr PostId PostOf(const RowKey& key) noexcept {
  return PostId(key.other.value);
}

[[nodiscard]] RowState StateOf(const PostRow& row);
[[nodiscard]] constexpr bool IsActivePost(const RowState& state) noexcept {
  return (state.content & 1U) != 0;
}

// A difference that posts alone have.
inline constexpr DifferenceKind kWrongPost{"wrong_post"};

extern const RowKind kPostRows;

}  // namespace fanfold
