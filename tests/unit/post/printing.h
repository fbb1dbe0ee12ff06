// How posts, their events, outcomes and rows read in a test's output.
#pragma once

#include <ostream>

#include "common/post/post_event.h"
#include "common/post/post_outcome.h"
#include "common/post/post_row.h"
#include "tests/unit/stream/unreadable_printing.h"

namespace fanfold {

inline std::ostream& operator<<(std::ostream& out, const PostEvent& event) {
  return out << EncodePostEvent(event);
}
inline std::ostream& operator<<(std::ostream& out, const PostOutcome& outcome) {
  return out << EncodePostOutcome(outcome);
}
inline std::ostream& operator<<(std::ostream& out, const PostRow& row) {
  return out << (row.active ? "active" : "deleted") << " type " << row.post_type << " score "
             << row.score << " version " << row.version.value << " \"" << row.content << '"';
}

}  // namespace fanfold
