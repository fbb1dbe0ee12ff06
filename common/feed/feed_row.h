// A row of feed state: one for each time that a post was shown, in the order of their versions, and
// one of when the owner last looked.
#pragma once

#include <cstdint>

#include "common/feed/feed_event.h"

namespace fanfold {

// A forgotten row stays, so that older events do not bring it back.
struct FeedRow {
  UserId author;  // of a look neither is told
  PostId post_id;
  std::int64_t at_ms = 0;
  bool active = false;
  Version version;  // 0: there is no row
  friend bool operator==(const FeedRow&, const FeedRow&) = default;
};

// The row as the event at this version says it: of all events of a row the one with the highest
// version counts.
[[nodiscard]] FeedRow RowOf(const FeedEvent& event, Version version) noexcept;

}  // namespace fanfold
