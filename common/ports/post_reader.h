// Questions to the rows of posts of one shard. Adapters: MySQL, SQLite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/as.h"
#include "common/ports/post_store.h"
#include "common/ports/projection_reader.h"
#include "common/post/listed_post.h"

namespace fanfold {

namespace projections {
inline constexpr Projection kPosts = Projection::Find("posts").value();
}  // namespace projections

// An author's posts, with what they are of: all of one read view.
struct PostView {
  std::vector<ListedPost> posts;  // active ones, newest first
  Offset position;                // every event of the author's partition below it is in the rows
  bool rewound = false;           // the lane folds again what the rows hold: some are newer
  std::uint64_t repair_mark = 0;  // of the shard's latest repair; 0: none yet
};

// Where the rows of posts of a shard stand, in one read view.
struct PostLanes {
  struct Lane {
    Partition partition;
    Offset position;       // every event of the partition below it is in the rows
    bool rewound = false;  // it folds again what the rows hold: they are of no one position
  };
  // Where nothing was folded yet, before the first event.
  [[nodiscard]] Lane LaneOf(Partition partition) const noexcept;

  std::vector<Lane> lanes;        // by partition; none: nothing was folded
  std::uint64_t repair_mark = 0;  // of the shard's latest repair; 0: none yet
};

// In the order asked, and of one read view with the lanes.
struct StretchesView {
  std::vector<std::vector<PostPlace>> stretches;  // active posts, each from its bound on
  PostLanes at;
};
struct PostsView {
  std::vector<std::optional<ListedPost>> posts;  // nothing: no such post, or it was deleted
  PostLanes at;
};

// Thread-compatible. Errors and blocking bound: those of ProjectionReader. `partition` is that of
// the author's events.
class PostReader : public RowReader {
 public:
  static constexpr std::size_t kPageMax = ListReader::kPageMax;
  static constexpr std::size_t kStretchesMax = 1'024;
  static constexpr std::size_t kStretchMax = 1'024;

  // At most `limit` ≤ kPageMax, behind `after`.
  [[nodiscard]] virtual Result<PostView> Page(Generation generation, UserId author,
                                              Partition partition,
                                              const std::optional<PostPlace>& after,
                                              std::size_t limit) = 0;
  // That post, or none.
  [[nodiscard]] virtual Result<PostView> One(Generation generation, UserId author,
                                             Partition partition, PostId post) = 0;
  // At most `limit` ≤ kStretchMax posts of each of at most kStretchesMax, in one statement.
  [[nodiscard]] virtual Result<StretchesView> Stretches(Generation generation,
                                                        std::span<const PostStretch> stretches,
                                                        std::size_t limit) = 0;
  // The posts with these keys, by author and post, at most kPageMax, in one statement.
  [[nodiscard]] virtual Result<PostsView> Among(Generation generation,
                                                std::span<const RowKey> posts) = 0;
};

// Asked through the reader's connection, which outlives it. Never null.
[[nodiscard]] inline std::unique_ptr<PostReader> OpenPosts(ProjectionReader& reader) {
  return As<PostReader>(reader.OpenRows(projections::kPosts));
}

}  // namespace fanfold
