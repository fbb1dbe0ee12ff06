// Why a post is in a feed, or is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/post/listed_post.h"
#include "common/post/post_outcome.h"
#include "operations/base/context.h"
#include "operations/explain/edge_story.h"

namespace fanfold::operations {

struct PostTold {
  Position position;
  std::int64_t appended_ms = 0;
  PostEvent event;
  std::optional<PostOutcome> outcome;  // nothing: not decided yet
};

// One post: what was asked, what was decided, and its row.
struct PostStory {
  static constexpr std::size_t kEventsKeptMax = 1'000;

  UserId author;
  PostId post;
  Partition partition;
  Offset events_begin;  // of the author's partition
  Offset events_end;
  std::vector<PostTold> events;  // by position, the newest kEventsKeptMax
  std::int64_t left_out = 0;
  Generation generation{1};
  Shard shard;
  std::optional<PostPlace> row;  // nothing: there is none, or it was deleted
  Offset position;               // every event below it is in the row
  bool rewound = false;          // its lane folds again what the row holds
  RowVerdict verdict = RowVerdict::kNotJudged;
  std::optional<PostPlace> told;  // by the outcomes below the position, where it is judged
};

struct FeedStory {
  EdgeStory follow;  // of the owner to the author
  PostStory post;

  // As the tables are.
  [[nodiscard]] bool is_followed() const noexcept;
  [[nodiscard]] bool is_in_feed() const noexcept { return is_followed() && post.row.has_value(); }
};

// Errors: Explain's. Blocks as long as reading the partitions of both users takes.
[[nodiscard]] Result<FeedStory> ExplainFeed(Context& context, UserId owner, UserId author,
                                            PostId post);

}  // namespace fanfold::operations
