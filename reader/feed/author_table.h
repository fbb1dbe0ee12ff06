// The posts of authors in memory, bounded in bytes. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "common/stream/ids.h"
#include "reader/feed/post_run.h"
#include "reader/feed/post_walk.h"

namespace fanfold::reader {

// Holds at most two runs of an author: the newest posts, never spent, and deeper ones. All are at
// one position: moves come in the log's order, and an installed run is at the position of the last
// of them. A clock evicts authors who were not read since its last round; it counts their deeper
// posts apart.
//
// Thread-compatible; Find may be called beside anything const.
class AuthorTable {
 public:
  static constexpr std::size_t kDeeperMax = 512;
  // So that growth moves a small part of all authors at once.
  static constexpr std::size_t kStripes = 256;

  explicit AuthorTable(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // One entry an author, in their order. They are good until something changes.
  [[nodiscard]] std::vector<AuthorRuns> Find(std::span<const UserId> authors) const;

  // A run that begins with the newest post may replace the newest run. A deeper one joins the runs
  // that it touches, else it replaces the deeper one; without the newest run it is not held. The
  // runs held longest may leave, this one too.
  void Install(UserId author, PostRun run);
  // Brings the author's runs along, where they are held.
  void Move(const PostMove& move);
  void Drop(UserId author);
  void DropIf(const std::function<bool(UserId)>& is_dropped);

  // All that it takes.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t authors() const noexcept { return authors_; }
  // Authors, or deeper posts of theirs, that left for want of room.
  [[nodiscard]] std::uint64_t evictions() const noexcept { return evictions_; }

 private:
  struct Held {
    PostRun newest;
    std::unique_ptr<PostRun> deeper;
    [[nodiscard]] std::size_t bytes() const noexcept;
  };
  // Nobody is author 0: slots with that id are free. A search goes on behind a taken slot.
  struct Slot {
    UserId author;
    std::unique_ptr<Held> held;
  };
  struct Stripe {
    std::vector<Slot> slots;  // none, or a power of two of them, never all taken
    std::size_t taken = 0;

    // Requires: there are slots.
    [[nodiscard]] std::size_t HomeOf(UserId author) const noexcept;
    // The author's slot, or the free one to put the author into.
    [[nodiscard]] std::size_t SlotOf(UserId author) const noexcept;
    void Erase(std::size_t slot) noexcept;
  };
  struct Hand {
    std::size_t stripe = 0;
    std::size_t slot = 0;
  };

  [[nodiscard]] const Stripe& StripeOf(UserId author) const noexcept;
  [[nodiscard]] Stripe& StripeOf(UserId author) noexcept;
  // Null where nothing is held of the author.
  [[nodiscard]] Held* HeldOf(UserId author) const noexcept;
  Slot& Enter(UserId author);
  void Erase(Stripe& stripe, std::size_t slot);
  void InstallNewest(UserId author, PostRun run);
  void InstallDeeper(Held& held, PostRun run);
  void MakeRoom();
  void Pass(Stripe& stripe, std::size_t slot);

  const std::size_t bytes_max_;
  std::array<Stripe, kStripes> stripes_;
  Hand hand_;
  std::size_t bytes_ = 0;
  std::size_t authors_ = 0;
  std::uint64_t evictions_ = 0;
};

}  // namespace fanfold::reader
