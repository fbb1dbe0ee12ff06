// The rows of posts: one a post, also of a deleted one. Adapters: MySQL, SQLite; each passes
// tests/contract/post_store_contract.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/as.h"
#include "common/ports/lane_store.h"
#include "common/ports/post_kind.h"
#include "common/post/post_row.h"

namespace fanfold {

struct PostWrite {
  RowKey key;  // post_kind.h
  PostRow row;
};

struct PostWrites : RowWrites {
  // Sorted by key, unique; of a row that is there the newer counts.
  std::vector<PostWrite> posts;

  [[nodiscard]] std::size_t rows() const noexcept override { return posts.size(); }
};

// The posts of one generation. Thread-compatible; calls block as those of the LaneStore it came
// from.
class PostStore : public RowStore {
 public:
  static constexpr std::size_t kPostsMax = 16'384;  // of a call

  // The rows that a decider has to know, in the order asked: all but the content, version 0 where
  // there is no row. Keys are sorted and unique, at most kPostsMax. Errors: kUnavailable, kConflict
  // (nothing happened).
  [[nodiscard]] virtual Result<std::vector<PostRow>> Load(std::span<const RowKey> keys) = 0;
};

// Requires: a projection of posts.
[[nodiscard]] inline std::unique_ptr<PostStore> OpenPostStore(LaneStore& store,
                                                              Projection projection,
                                                              Generation generation) {
  return As<PostStore>(store.OpenRows(projection, generation));
}
// Requires: of a projection of posts.
[[nodiscard]] inline const PostWrites& PostsOf(const RowWrites& rows) {
  return As<PostWrites>(rows);
}

}  // namespace fanfold
