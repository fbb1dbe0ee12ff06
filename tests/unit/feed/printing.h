// How feed events and rows read in a test's output.
#pragma once

#include <ostream>

#include "common/feed/feed_event.h"
#include "common/feed/feed_row.h"
#include "tests/unit/stream/unreadable_printing.h"

namespace fanfold {

inline std::ostream& operator<<(std::ostream& out, const FeedEvent& event) {
  return out << EncodeFeedEvent(event);
}
inline std::ostream& operator<<(std::ostream& out, const FeedRow& row) {
  return out << (row.active ? "" : "forgotten ") << row.author.value << '/' << row.post_id.value
             << " at " << row.at_ms << " version " << row.version.value;
}

}  // namespace fanfold
