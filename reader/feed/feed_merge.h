// Merges a feed from the runs of all whom its owner follows. Pure.
//
// The definition: every undeleted post of each author, by (score, author, post id) descending, to
// the first one ever. Where the runs do not reach far enough an answer has gaps: then it is not to
// be told, but made again when they are filled. One filling may show another.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "reader/feed/post_walk.h"

namespace fanfold::reader {

struct FeedQuery {
  enum class Towards : std::uint8_t { kOlder, kNewer };

  std::optional<FeedKey> cursor = std::nullopt;  // none: the newest page; requires kOlder
  Towards towards = Towards::kOlder;
  std::size_t limit = 20;
};

struct FeedPage {
  std::vector<FeedKey> keys;  // those nearest to the cursor, newest first
  bool has_newer = false;     // above the first key; of an empty page above the cursor
  bool has_older = false;     // below the last key; of an empty page at or below the cursor
  // Posts that the answer needs and no run tells; an author has one gap at the most.
  std::vector<PostStretch> gaps;
};

struct Unread {
  std::size_t count = 0;
  bool more = false;
  std::vector<PostStretch> gaps;
};

inline constexpr std::size_t kUnreadMax = 1'000;

// In all of these authors are unique.

[[nodiscard]] FeedPage MergeFeed(std::span<const AuthorRuns> authors, const FeedQuery& query);

// How many keys are above the cursor, counted to kUnreadMax.
[[nodiscard]] Unread CountUnread(std::span<const AuthorRuns> authors, const FeedKey& since);

// The newest post of each author, none of an author whose newest is left out. Goes towards older.
using IsLeftOut = std::function<bool(const FeedKey&)>;
[[nodiscard]] FeedPage MergeLatest(std::span<const AuthorRuns> authors, const FeedQuery& query,
                                   const IsLeftOut& is_left_out);

}  // namespace fanfold::reader
