// Feed state as a kind of rows: `other` is which of the times that something was shown, 0 where the
// owner looked. Their content is a digest of all they say and, lowest, whether they are there.
#pragma once

#include "common/feed/feed_row.h"
#include "common/ports/row_kinds.h"

namespace fanfold {

[[nodiscard]] constexpr RowKey KeyOf(UserId owner, ShownId shown) noexcept {
  return {owner, UserId(shown.value)};
}
[[nodiscard]] constexpr ShownId ShownOf(const RowKey& key) noexcept {
  return ShownId(key.other.value);
}

[[nodiscard]] RowState StateOf(const FeedRow& row);
[[nodiscard]] constexpr bool IsActiveFeedRow(const RowState& state) noexcept {
  return (state.content & 1U) != 0;
}

// A difference that feed state alone has.
inline constexpr DifferenceKind kWrongShown{"wrong_shown"};

extern const RowKind kFeedRows;

}  // namespace fanfold
