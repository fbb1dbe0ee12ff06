// How feed events and rows read in a test's output.
#pragma once

#include <ostream>

#include "common/feed/feed_event.h"
#include "common/feed/feed_row.h"

namespace fanfold {

inline std::ostream& operator<<(std::ostream& out, const FeedEvent& event) {
  return out << EncodeFeedEvent(event);
}
inline std::ostream& operator<<(std::ostream& out, const FeedRow& row) {
  return out << (row.active ? "" : "forgotten ") << row.author.value << '/' << row.post_id.value
             << " at " << row.at_ms << " version " << row.version.value;
}
inline std::ostream& operator<<(std::ostream& out, const Unreadable& unreadable) {
  return out << ToString(unreadable.reason) << ": " << unreadable.detail;
}

}  // namespace fanfold
