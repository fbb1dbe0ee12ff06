// The tables of posts, of all shards.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "common/ports/post_reader.h"
#include "reader/feed/feed_pages.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// The owner whose inbox may be asked.
struct InboxAsked {
  UserId owner;
  Deployment deployment;
  Offset relations;  // where the owner's following was read
};

// For one request; one thread.
class PostTables final : public PostSource {
 public:
  // Without tables every question is kUnavailable. They outlive this. Without `inbox` there is
  // none.
  explicit PostTables(ShardedReader* tables, std::optional<InboxAsked> inbox = {})
      : tables_(tables), inbox_(std::move(inbox)) {}

  [[nodiscard]] Result<FetchedRuns> Fetch(Shard shard, Generation generation,
                                          std::span<const PostStretch> gaps,
                                          std::size_t posts) override;
  [[nodiscard]] Result<std::optional<FetchedRuns>> FromInbox(
      std::span<const UserId> authors) override;
  [[nodiscard]] Result<FetchedContents> Contents(Shard shard, Generation generation,
                                                 std::span<const FeedKey> keys) override;

 private:
  [[nodiscard]] Result<std::unique_ptr<PostReader>> On(Shard shard);

  ShardedReader* const tables_;
  const std::optional<InboxAsked> inbox_;
};

}  // namespace fanfold::reader
