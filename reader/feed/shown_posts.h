// Whether posts were shown to an owner, as the tables have it.
#pragma once

#include <map>
#include <span>

#include "common/base/result.h"
#include "common/ports/deployment.h"
#include "common/ports/row_image.h"
#include "reader/feed/feed_key.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// For one request; one thread.
class ShownPosts {
 public:
  // All outlive this.
  ShownPosts(ShardedReader& tables, const Deployment& deployment, UserId owner)
      : tables_(tables), deployment_(deployment), owner_(owner) {}

  // Asks about the posts not asked for yet. A statement for each ShownReader::kPostsMax. Errors and
  // blocking bound: those of ProjectionReader.
  [[nodiscard]] Status AskFor(std::span<const FeedKey> keys);
  // False of one that was not asked for.
  [[nodiscard]] bool Contain(const FeedKey& key) const;
  [[nodiscard]] bool ContainAny(std::span<const FeedKey> keys) const;

 private:
  ShardedReader& tables_;
  const Deployment& deployment_;
  const UserId owner_;
  std::map<RowKey, bool> known_;
};

}  // namespace fanfold::reader
