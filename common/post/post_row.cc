#include "common/post/post_row.h"

#include <utility>

namespace fanfold {

PostOutcome Decide(const PostRow& row, const PostEvent& event, Position position,
                   bool author_ended) {
  const bool posts = event.type == PostEventType::kPost;
  const bool is_used = row.version != Version(0);
  PostOutcome outcome;
  outcome.position = position;
  outcome.event_id = event.event_id;
  outcome.author = event.author;
  outcome.post_id = event.post_id;
  outcome.at_ms = event.at_ms;
  outcome.score = row.score;
  outcome.post_type = row.post_type;
  if (posts && author_ended) {
    outcome.kind = PostOutcomeKind::kRejected;
    outcome.rejected = PostRejection::kUserDeleted;
  } else if (posts && !is_used) {
    outcome.kind = PostOutcomeKind::kPosted;
    outcome.score = event.at_ms;
    outcome.post_type = event.post_type;
    outcome.content = event.content;
  } else if (!posts && row.active) {
    outcome.kind = PostOutcomeKind::kPostDeleted;
  }
  return outcome;
}

PostOutcome ParkPost(Position position, ParkReason reason, std::string event_id) {
  PostOutcome outcome;
  outcome.kind = PostOutcomeKind::kParked;
  outcome.position = position;
  outcome.event_id = std::move(event_id);
  outcome.parked = reason;
  return outcome;
}

PostRow Apply(PostRow row, const PostOutcome& outcome) {
  const Version version(Next(outcome.position.offset).value);
  if (!MovesPost(outcome) || version <= row.version) return row;
  return {.post_type = outcome.post_type,
          .content = outcome.content.value_or(""),
          .score = outcome.score,
          .active = outcome.kind == PostOutcomeKind::kPosted,
          .version = version};
}

}  // namespace fanfold
