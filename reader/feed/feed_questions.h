// Questions to feeds: whose posts, which of them, as JSON.
#pragma once

#include <cstddef>
#include <optional>

#include "reader/feed/feed_merge.h"
#include "reader/feed/live_posts.h"
#include "reader/feed/post_contents.h"
#include "reader/live_question.h"

namespace fanfold::reader {

// The memory that feeds are answered from.
struct FeedMemory {
  LivePosts& posts;
  PostContents& contents;
  const ReaderPosition& relations;
};

// The feed's owner: it has the posts of all whom the owner follows.
struct FeedOf {
  UserId owner;
  bool friends_alone = false;  // of those who follow back
  bool with_self = false;      // and the owner's own
};

// `memory` outlives them. The owner's following is read once. An owner who follows more than
// ListReader::kPageMax is asked page by page: a follow that comes meanwhile may count for a part of
// that feed.

// {"items":[{"author","post_id","score","type","content"}],"after","before","has_older","has_newer"}
[[nodiscard]] LiveQuestionPtr NewFeedPage(const FeedMemory& memory, const FeedOf& of,
                                          const FeedQuery& query);
// {"count","more"}
[[nodiscard]] LiveQuestionPtr NewUnread(const FeedMemory& memory, const FeedOf& of,
                                        const FeedKey& since);
// Without what was shown to the owner, as the tables have it: {"items":[…],"next_cursor"}
[[nodiscard]] LiveQuestionPtr NewLatest(const FeedMemory& memory, const FeedOf& of,
                                        const std::optional<FeedKey>& after, std::size_t limit);

}  // namespace fanfold::reader
