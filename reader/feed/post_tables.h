// The tables of posts, of all shards.
#pragma once

#include <memory>

#include "common/ports/post_reader.h"
#include "reader/feed/feed_pages.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// For one request; one thread.
class PostTables final : public PostSource {
 public:
  // Without tables every question is kUnavailable. They outlive this.
  explicit PostTables(ShardedReader* tables) : tables_(tables) {}

  [[nodiscard]] Result<FetchedRuns> Fetch(Shard shard, Generation generation,
                                          std::span<const PostStretch> gaps,
                                          std::size_t posts) override;
  [[nodiscard]] Result<FetchedContents> Contents(Shard shard, Generation generation,
                                                 std::span<const FeedKey> keys) override;

 private:
  [[nodiscard]] Result<std::unique_ptr<PostReader>> On(Shard shard);

  ShardedReader* const tables_;
};

}  // namespace fanfold::reader
