// The ports of posts over MemoryTables.
#pragma once

#include <vector>

#include "common/ports/post_reader.h"
#include "tests/support/memory_store.h"

namespace fanfold::testing {

class MemoryPosts final : public PostStore {
 public:
  MemoryPosts(const MemoryTables& tables, Generation generation)
      : tables_(tables), generation_(generation) {}
  [[nodiscard]] Result<std::vector<PostRow>> Load(std::span<const RowKey> keys) override;

 private:
  const MemoryTables& tables_;
  const Generation generation_;
};

class MemoryPostReader final : public PostReader {
 public:
  explicit MemoryPostReader(const MemoryTables& tables) : tables_(tables) {}
  [[nodiscard]] Result<PostView> Page(Generation generation, UserId author, Partition partition,
                                      const std::optional<PostPlace>& after,
                                      std::size_t limit) override;
  [[nodiscard]] Result<PostView> One(Generation generation, UserId author, Partition partition,
                                     PostId post) override;
  [[nodiscard]] Result<StretchesView> Stretches(Generation generation,
                                                std::span<const PostStretch> stretches,
                                                std::size_t limit) override;
  [[nodiscard]] Result<PostsView> Among(Generation generation,
                                        std::span<const RowKey> posts) override;

 private:
  [[nodiscard]] PostLanes LanesOf(Generation generation) const;
  // Of the author's active posts those that `takes` wants, newest first.
  template <class Takes>
  [[nodiscard]] PostView ViewOf(Generation generation, UserId author, Partition partition,
                                const Takes& takes) const;

  const MemoryTables& tables_;
};

}  // namespace fanfold::testing
