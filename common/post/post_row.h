// The rules that the table of posts stands on: an id is used once by each author, also after its
// deletion; the first event of an id wins, whatever its content.
#pragma once

#include <cstdint>
#include <string>

#include "common/post/post_event.h"
#include "common/post/post_outcome.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"

namespace fanfold {

// A deleted post keeps its row, without the content: so its id stays used.
struct PostRow {
  std::int64_t post_type = 0;
  std::string content;
  std::int64_t score = 0;
  bool active = false;
  Version version;  // 0: there is no row
  friend bool operator==(const PostRow&, const PostRow&) = default;
};

// Decides what becomes of the event at `position`, by what a decider has to know of the row, and
// whether it knows that the author's account has ended: then nothing is posted. Pure and total; the
// only place a rule about posts stands.
[[nodiscard]] PostOutcome Decide(const PostRow& row, const PostEvent& event, Position position,
                                 bool author_ended = false);

// The outcome of a record that could not be decided.
[[nodiscard]] PostOutcome ParkPost(Position position, ParkReason reason, std::string event_id);

// Moves a row by what was decided: every generation. An outcome at or below the row's version
// changes nothing, so any part of the topic may be replayed. Requires: a whole one.
[[nodiscard]] PostRow Apply(PostRow row, const PostOutcome& outcome);

}  // namespace fanfold
