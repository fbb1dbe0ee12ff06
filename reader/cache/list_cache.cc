#include "reader/cache/list_cache.h"

#include <utility>

namespace fanfold::reader {
namespace {

std::size_t BytesOf(const std::unique_ptr<HeldList>& list) { return list ? list->bytes() : 0; }

}  // namespace

void ListCache::Stripe::Link(Slot& slot) noexcept {
  slot.older = newest;
  slot.newer = nullptr;
  (newest != nullptr ? newest->newer : oldest) = &slot;
  newest = &slot;
}

void ListCache::Stripe::Unlink(Slot& slot) noexcept {
  (slot.newer != nullptr ? slot.newer->older : newest) = slot.older;
  (slot.older != nullptr ? slot.older->newer : oldest) = slot.newer;
}

void ListCache::Stripe::Touch(Slot& slot) noexcept {
  if (newest == &slot) return;
  Unlink(slot);
  Link(slot);
}

ListCache::ListCache(std::size_t bytes_max, Metrics& metrics)
    : stripe_bytes_max_(bytes_max / kStripes),
      hits_(metrics.GetCounter("fanfold_reader_cache_hits_total",
                               "Questions about a user that were answered from memory")),
      misses_(metrics.GetCounter("fanfold_reader_cache_misses_total",
                                 "Questions about a user that were answered from the tables")),
      evictions_(metrics.GetCounter("fanfold_reader_cache_evictions_total",
                                    "Users that left the cache for want of room")),
      bytes_shown_(metrics.GetGauge("fanfold_reader_cache_bytes", "Bytes that the cache takes")),
      users_shown_(metrics.GetGauge("fanfold_reader_cache_users", "Users in the cache")) {}

void ListCache::Account(Stripe& stripe, std::size_t added, std::size_t removed) {
  stripe.bytes += added - removed;
  const std::size_t now = bytes_.fetch_add(added - removed) + (added - removed);
  bytes_shown_.Set(static_cast<double>(now));
}

void ListCache::Forget(Stripe& stripe, Slot& slot) {
  Account(stripe, 0, kUserBytes + BytesOf(slot.lists[0]) + BytesOf(slot.lists[1]));
  users_shown_.Set(static_cast<double>(users_.fetch_sub(1) - 1));
  stripe.Unlink(slot);
  stripe.users.erase(UserId(slot.user));
}

void ListCache::MakeRoom(Stripe& stripe) {
  while (stripe.bytes > stripe_bytes_max_ && stripe.oldest != nullptr) {
    evictions_.Add(1);
    Forget(stripe, *stripe.oldest);
  }
}

bool ListCache::Install(Direction list, UserId user, std::unique_ptr<HeldList> rows) {
  Stripe& stripe = StripeOf(user);
  const std::scoped_lock lock(stripe.mutex);
  const auto known = stripe.users.find(user);
  const std::size_t beside =
      known == stripe.users.end() ? 0 : BytesOf(ListOf(known->second, Reverse(list)));
  if (kUserBytes + beside + rows->bytes() > stripe_bytes_max_) return false;
  const auto [found, is_new] = stripe.users.try_emplace(user);
  Slot& slot = found->second;
  if (is_new) {
    slot.user = user;
    stripe.Link(slot);
    users_shown_.Set(static_cast<double>(users_.fetch_add(1) + 1));
  } else {
    stripe.Touch(slot);
  }
  std::unique_ptr<HeldList>& held = ListOf(slot, list);
  Account(stripe, (is_new ? kUserBytes : 0) + rows->bytes(), BytesOf(held));
  held = std::move(rows);
  MakeRoom(stripe);
  return true;
}

void ListCache::Move(const EdgeMove& move) {
  MoveIn(Direction::kFollowing, move);
  MoveIn(Direction::kFans, move);
}

void ListCache::MoveIn(Direction list, const EdgeMove& move) {
  const UserId owner = OwnerIn(list, move);
  Stripe& stripe = StripeOf(owner);
  const std::scoped_lock lock(stripe.mutex);
  const auto found = stripe.users.find(owner);
  if (found == stripe.users.end()) return;
  std::unique_ptr<HeldList>& held = ListOf(found->second, list);
  if (!held) return;
  const std::size_t before = held->bytes();
  held->Move(list, move);
  const bool spent = held->IsSpent();
  Account(stripe, spent ? 0 : held->bytes(), before);
  if (spent) held.reset();
  MakeRoom(stripe);
}

void ListCache::Drop(Direction list, UserId user) {
  Stripe& stripe = StripeOf(user);
  const std::scoped_lock lock(stripe.mutex);
  const auto found = stripe.users.find(user);
  if (found == stripe.users.end()) return;
  std::unique_ptr<HeldList>& held = ListOf(found->second, list);
  Account(stripe, 0, BytesOf(held));
  held.reset();
}

void ListCache::DropIf(const std::function<bool(UserId)>& is_dropped) {
  for (Stripe& stripe : stripes_) {
    const std::scoped_lock lock(stripe.mutex);
    for (Slot* slot = stripe.newest; slot != nullptr;) {
      Slot* const older = slot->older;
      if (is_dropped(slot->user)) Forget(stripe, *slot);
      slot = older;
    }
  }
}

}  // namespace fanfold::reader
