// The requests about posts and their answers, without HTTP.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "common/post/post_outcome.h"
#include "writer/command.h"

namespace fanfold::writer {

// A post, or the end of one, that is not yet in the log.
struct PostCommand {
  PostEventType type = PostEventType::kPost;
  UserId author;
  std::optional<PostId> post_id;      // absent: made here
  std::optional<std::int64_t> at_ms;  // absent: the time of the append
  std::int64_t post_type = 0;
  std::string content = {};
  std::string event_id = {};  // empty: the writer draws one
  friend bool operator==(const PostCommand&, const PostCommand&) = default;
};

// A published post: its id, and the score that it is listed by.
struct PostTold {
  PostId post_id;
  std::int64_t score = 0;
  friend bool operator==(const PostTold&, const PostTold&) = default;
};

struct PostRefusal {
  Refusal refusal;
  // Set where the post may be in the log: with this id the same request again is the same post.
  std::optional<PostId> post_id = std::nullopt;
};

struct PostAccepted {
  Logged logged;
  std::optional<PostTold> post;            // absent of a deletion
  std::optional<PostOutcomeKind> outcome;  // absent: nobody waited for it, or the time ran out
};

using PostAnswer = std::expected<PostAccepted, PostRefusal>;
using ParsedPost = std::expected<PostCommand, Refusal>;

}  // namespace fanfold::writer
