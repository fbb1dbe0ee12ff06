#include "reader/feed/author_table.h"

#include <algorithm>
#include <utility>

namespace fanfold::reader {
namespace {

// What the allocator takes beside what it gives.
constexpr std::size_t kAllocationBytes = 16;
constexpr std::size_t kSlotsMin = 4;

// Asked for ahead of their use, so many authors wait for memory together.
constexpr std::size_t kAhead = 32;

std::size_t Mixed(UserId author) noexcept { return std::hash<UserId>{}(author); }

std::size_t BytesOf(const PostRun& run) noexcept {
  return run.bytes() + (run.bytes() == 0 ? 0 : kAllocationBytes);
}

}  // namespace

std::size_t AuthorTable::Held::bytes() const noexcept {
  std::size_t bytes = sizeof(Held) + kAllocationBytes + BytesOf(newest);
  if (deeper) bytes += sizeof(PostRun) + kAllocationBytes + BytesOf(*deeper);
  return bytes;
}

const AuthorTable::Stripe& AuthorTable::StripeOf(UserId author) const noexcept {
  return stripes_[Mixed(author) % kStripes];
}

AuthorTable::Stripe& AuthorTable::StripeOf(UserId author) noexcept {
  return stripes_[Mixed(author) % kStripes];
}

// The stripe has taken the low bits.
std::size_t AuthorTable::Stripe::HomeOf(UserId author) const noexcept {
  return (Mixed(author) / kStripes) & (slots.size() - 1);
}

std::size_t AuthorTable::Stripe::SlotOf(UserId author) const noexcept {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = HomeOf(author);
  while (slots[slot].author != UserId(0) && slots[slot].author != author) slot = (slot + 1) & mask;
  return slot;
}

// Those behind it that it stood in the way of move up, so no place is left that only leads on.
void AuthorTable::Stripe::Erase(std::size_t slot) noexcept {
  const std::size_t mask = slots.size() - 1;
  slots[slot] = Slot{};
  for (std::size_t next = (slot + 1) & mask; slots[next].author != UserId(0);
       next = (next + 1) & mask) {
    const std::size_t wanted = SlotOf(slots[next].author);
    if (wanted != next) slots[wanted] = std::exchange(slots[next], Slot{});
  }
  --taken;
}

AuthorTable::Held* AuthorTable::HeldOf(UserId author) const noexcept {
  const Stripe& stripe = StripeOf(author);
  return stripe.slots.empty() ? nullptr : stripe.slots[stripe.SlotOf(author)].held.get();
}

std::vector<AuthorRuns> AuthorTable::Find(std::span<const UserId> authors) const {
  std::vector<AuthorRuns> runs(authors.size());
  std::array<const Held*, kAhead> held{};
  for (std::size_t from = 0; from < authors.size(); from += kAhead) {
    const std::size_t count = std::min(kAhead, authors.size() - from);
    for (const UserId author : authors.subspan(from, count)) {
      const Stripe& stripe = StripeOf(author);
      if (!stripe.slots.empty()) __builtin_prefetch(&stripe.slots[stripe.HomeOf(author)]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      held[i] = HeldOf(authors[from + i]);
      __builtin_prefetch(held[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      AuthorRuns& entry = runs[from + i];
      entry.author = authors[from + i];
      if (held[i] == nullptr) continue;
      entry.newest = &held[i]->newest;
      entry.others[0] = held[i]->deeper.get();
    }
  }
  return runs;
}

AuthorTable::Slot& AuthorTable::Enter(UserId author) {
  Stripe& stripe = StripeOf(author);
  if (stripe.taken * 4 >= stripe.slots.size() * 3) {
    std::vector<Slot> before = std::exchange(
        stripe.slots, std::vector<Slot>(std::max(kSlotsMin, 2 * stripe.slots.size())));
    for (Slot& slot : before) {
      if (slot.author != UserId(0)) stripe.slots[stripe.SlotOf(slot.author)] = std::move(slot);
    }
    bytes_ += (stripe.slots.size() - before.size()) * sizeof(Slot);
  }
  return stripe.slots[stripe.SlotOf(author)];
}

void AuthorTable::Erase(Stripe& stripe, std::size_t slot) {
  bytes_ -= stripe.slots[slot].held->bytes();
  --authors_;
  stripe.Erase(slot);
}

void AuthorTable::Install(UserId author, PostRun run) {
  if (run.IsSpent()) return;
  if (run.high() == kAboveAll) {
    InstallNewest(author, std::move(run));
  } else if (Held* const held = HeldOf(author)) {
    InstallDeeper(*held, std::move(run));
  }
  MakeRoom();
}

void AuthorTable::InstallNewest(UserId author, PostRun run) {
  if (run.size() > kNewestMax) run.KeepNewest(kNewestHeld);
  if (Held* const held = HeldOf(author)) {
    held->newest.Touch();
    // At one position the one that goes further down tells all that the other does.
    if (held->newest.low() <= run.low()) return;
    bytes_ -= held->bytes();
    held->newest = std::move(run);
    bytes_ += held->bytes();
    return;
  }
  Slot& slot = Enter(author);
  slot.author = author;
  slot.held = std::make_unique<Held>(std::move(run), nullptr);
  bytes_ += slot.held->bytes();
  ++StripeOf(author).taken;
  ++authors_;
}

void AuthorTable::InstallDeeper(Held& held, PostRun run) {
  if (held.newest.low() <= run.low()) return;
  bytes_ -= held.bytes();
  if (held.deeper && held.deeper->Touches(run)) {
    const bool goes_down = run.low() < held.deeper->low();
    run = PostRun::Joined(*held.deeper, run);
    if (run.size() > kDeeperMax && !goes_down) run.KeepNewest(kDeeperMax);
  }
  run.KeepOldest(kDeeperMax);
  held.deeper = std::make_unique<PostRun>(std::move(run));
  bytes_ += held.bytes();
}

void AuthorTable::Move(const PostMove& move) {
  Held* const held = HeldOf(move.author);
  if (held == nullptr) return;
  const std::size_t before = held->bytes();
  held->newest.Move(move);
  if (held->deeper) held->deeper->Move(move);
  if (held->newest.size() > kNewestMax) held->newest.KeepNewest(kNewestHeld);
  if (held->deeper) held->deeper->KeepOldest(kDeeperMax);
  bytes_ += held->bytes() - before;
  if (held->newest.IsSpent()) Drop(move.author);
  MakeRoom();
}

void AuthorTable::Drop(UserId author) {
  Stripe& stripe = StripeOf(author);
  if (HeldOf(author) != nullptr) Erase(stripe, stripe.SlotOf(author));
}

void AuthorTable::DropIf(const std::function<bool(UserId)>& is_dropped) {
  for (Stripe& stripe : stripes_) {
    for (std::size_t slot = 0; slot < stripe.slots.size();) {
      const UserId author = stripe.slots[slot].author;
      if (author != UserId(0) && is_dropped(author)) {
        Erase(stripe, slot);
      } else {
        ++slot;
      }
    }
  }
}

void AuthorTable::Pass(Stripe& stripe, std::size_t slot) {
  Held& held = *stripe.slots[slot].held;
  const bool newest_read = held.newest.TakeTouched();
  const bool deeper_read = held.deeper && held.deeper->TakeTouched();
  if (!newest_read && !deeper_read) {
    ++evictions_;
    Erase(stripe, slot);
  } else if (held.deeper && !deeper_read) {
    ++evictions_;
    bytes_ -= held.bytes();
    held.deeper.reset();
    bytes_ += held.bytes();
  }
}

void AuthorTable::MakeRoom() {
  while (bytes_ > bytes_max_ && authors_ > 0) {
    Stripe& stripe = stripes_[hand_.stripe];
    if (hand_.slot >= stripe.slots.size()) {
      hand_ = {(hand_.stripe + 1) % kStripes, 0};
      continue;
    }
    if (stripe.slots[hand_.slot].author != UserId(0)) Pass(stripe, hand_.slot);
    ++hand_.slot;
  }
}

}  // namespace fanfold::reader
