// The first contents of an inbox, as the tables have them.
#pragma once

#include <map>
#include <vector>

#include "projector/feed/inbox_shards.h"
#include "projector/feed/newest_posts.h"

namespace fanfold::projector {

// One thread. Requires: the shards are on. Errors: the ports'.
class InboxReading {
 public:
  // `shards` outlive it.
  explicit InboxReading(InboxShards& shards) : shards_(shards) {}

  // Sorted, unique.
  [[nodiscard]] Result<std::vector<UserId>> Followed(UserId owner);
  // Sorted.
  [[nodiscard]] Result<std::vector<UserId>> PulledAmong(const std::vector<UserId>& authors);
  // Asks for all that is missing. The events below which the tables that were asked hold all, by
  // partition.
  [[nodiscard]] Result<std::map<Partition, Offset>> Posts(NewestPosts& newest);

 private:
  InboxShards& shards_;
};

}  // namespace fanfold::projector
