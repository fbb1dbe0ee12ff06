// The contents of posts, in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/metrics.h"
#include "reader/feed/feed_key.h"

namespace fanfold::reader {

struct PostContent {
  std::int64_t type = 0;
  std::string content;
  friend bool operator==(const PostContent&, const PostContent&) = default;
};
// Good for as long as it is kept, whatever leaves meanwhile.
using PostContentPtr = std::shared_ptr<const PostContent>;

// A post says the same until it is deleted, so contents are held of any position: the runs tell
// whose posts they are and which are there. Bounded in bytes; the least recently read leave first.
// A deleted post is forgotten, also by requests that had asked for it before.
//
// Thread-safe: posts are spread over stripes with a lock each.
class PostContents {
 public:
  static constexpr std::size_t kStripes = 64;
  // A post's place beside what it says: the map's node, the list's, the object, the allocator's
  // part.
  static constexpr std::size_t kPostBytes = 208;

  // `metrics` outlives this.
  PostContents(std::size_t bytes_max, Metrics& metrics);

  // In the order of the keys; null where it is not held.
  [[nodiscard]] std::vector<PostContentPtr> Find(std::span<const FeedKey> keys);

  // To be taken before contents are asked for: tells what was deleted meanwhile.
  class Ticket {
   private:
    friend class PostContents;
    std::array<std::uint64_t, kStripes> drops_{};
  };
  [[nodiscard]] Ticket NewTicket() const;
  void Put(const Ticket& ticket, const FeedKey& key, PostContentPtr content);
  void Drop(UserId author, PostId post);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Id {
    UserId author;
    PostId post;
    friend bool operator==(const Id&, const Id&) = default;
  };
  struct Hash {
    std::size_t operator()(const Id& id) const noexcept {
      return std::hash<PostId>{}(PostId(id.post.value + std::hash<UserId>{}(id.author)));
    }
  };
  struct Held {
    PostContentPtr content;
    std::list<Id>::iterator place;
  };
  struct Stripe {
    mutable std::mutex mutex;
    std::unordered_map<Id, Held, Hash> posts;
    std::list<Id> by_use;  // the least recently read first
    std::size_t bytes = 0;
    std::uint64_t drops = 0;

    void Forget(const Id& id);
  };

  [[nodiscard]] static std::size_t StripeOf(const Id& id) noexcept { return Hash{}(id) % kStripes; }

  const std::size_t stripe_bytes_max_;
  std::array<Stripe, kStripes> stripes_;
  Counter& hits_;
  Counter& misses_;
  Counter& evictions_;
};

}  // namespace fanfold::reader
