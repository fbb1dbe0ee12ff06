// Lists of users in memory, bounded in bytes; the least recently asked for leave first.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "common/base/metrics.h"
#include "common/ports/lane.h"
#include "common/stream/ids.h"
#include "reader/cache/held_list.h"
#include "reader/cache/recent_moves.h"

namespace fanfold::reader {

// The lists held of one user; null where none are.
struct HeldLists {
  const HeldList* following = nullptr;
  const HeldList* fans = nullptr;

  [[nodiscard]] const HeldList* Of(Direction list) const noexcept {
    return list == Direction::kFollowing ? following : fans;
  }
};

// Thread-safe: users are spread over stripes with a lock each.
class ListCache {
 public:
  static constexpr std::size_t kStripes = 64;
  // A user's place in the cache, beside the rows: the map's node, the slot and its two lists.
  static constexpr std::size_t kUserBytes = 208;

  // `metrics` outlives this.
  ListCache(std::size_t bytes_max, Metrics& metrics);

  // Calls use(HeldLists) while nothing else can change or drop them; it must be short. The user
  // then leaves after all others of the same stripe.
  template <class Use>
  auto With(UserId user, const Use& use) {
    Stripe& stripe = StripeOf(user);
    const std::scoped_lock lock(stripe.mutex);
    const auto found = stripe.users.find(user);
    if (found == stripe.users.end()) return use(HeldLists{});
    stripe.Touch(found->second);
    return use(HeldLists{found->second.lists[0].get(), found->second.lists[1].get()});
  }

  // Replaces what was held. False, and nothing happens, when the user's two lists together would
  // take more than a stripe may.
  bool Install(Direction list, UserId user, std::unique_ptr<HeldList> rows);
  // Brings the two lists of the edge along, where they are held.
  void Move(const EdgeMove& move);
  void Drop(Direction list, UserId user);
  void DropIf(const std::function<bool(UserId)>& is_dropped);

  // Counted by the caller: only the caller knows whether the lists could be used.
  void CountHit() { hits_.Add(1); }
  void CountMiss() { misses_.Add(1); }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }

 private:
  struct Slot {
    std::array<std::unique_ptr<HeldList>, 2> lists;  // following, fans
    Slot* newer = nullptr;
    Slot* older = nullptr;
    UserId user;
  };
  struct Stripe {
    std::mutex mutex;
    std::unordered_map<UserId, Slot> users;
    Slot* newest = nullptr;
    Slot* oldest = nullptr;
    std::size_t bytes = 0;

    void Touch(Slot& slot) noexcept;
    void Link(Slot& slot) noexcept;
    void Unlink(Slot& slot) noexcept;
  };

  [[nodiscard]] Stripe& StripeOf(UserId user) noexcept {
    return stripes_[std::hash<UserId>{}(user) % kStripes];
  }
  static std::unique_ptr<HeldList>& ListOf(Slot& slot, Direction list) noexcept {
    return slot.lists[list == Direction::kFollowing ? 0 : 1];
  }
  // These require the stripe's lock.
  void Account(Stripe& stripe, std::size_t added, std::size_t removed);
  void Forget(Stripe& stripe, Slot& slot);
  void MakeRoom(Stripe& stripe);
  void MoveIn(Direction list, const EdgeMove& move);

  const std::size_t stripe_bytes_max_;
  std::array<Stripe, kStripes> stripes_;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<std::size_t> users_ = 0;
  Counter& hits_;
  Counter& misses_;
  Counter& evictions_;
  Gauge& bytes_shown_;
  Gauge& users_shown_;
};

}  // namespace fanfold::reader
