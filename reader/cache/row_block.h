// Rows of one list, packed: the store under a HeldList. Pure.
//
// One allocation holds columns of ids and of times and, for more than kScanMax rows, an index from
// id to place with 4/3 slots a row. With ids below 2^32 and times within 34 years of each other a
// row takes 4 + 5 bytes and its slots 2.7; otherwise 16 and 2.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "common/relation/cursor.h"
#include "common/stream/ids.h"

namespace fanfold::reader {

// Thread-compatible. Places count from the oldest row; a removed one keeps its place.
class RowBlock {
 public:
  static constexpr std::size_t kRowsMax = 65'000;
  static constexpr std::size_t kScanMax = 16;

  // Requires: newest first, unique users, at most kRowsMax rows.
  explicit RowBlock(std::span<const ListedUser> newest_first);

  [[nodiscard]] std::size_t places() const noexcept { return size_; }
  [[nodiscard]] std::size_t live() const noexcept { return live_; }
  [[nodiscard]] bool IsLive(std::size_t place) const noexcept { return IdAt(place) != 0; }
  // Requires: place < places(); for the user that the place is live.
  [[nodiscard]] ListedUser At(std::size_t place) const noexcept {
    return {UserId(IdAt(place)), SinceAt(place)};
  }
  [[nodiscard]] std::int64_t SinceAt(std::size_t place) const noexcept;
  [[nodiscard]] std::optional<std::size_t> Find(UserId user) const noexcept;

  // Adds the newest row. False, and nothing happens, when it is not the newest, finds no room or
  // does not fit the columns: then the block is to be made anew.
  [[nodiscard]] bool TryAppend(const ListedUser& row) noexcept;
  void Remove(std::size_t place) noexcept;

  // Memory that it takes, its own object left out.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  [[nodiscard]] std::uint64_t IdAt(std::size_t place) const noexcept;
  void Write(std::size_t place, const ListedUser& row) noexcept;
  [[nodiscard]] bool Fits(const ListedUser& row) const noexcept;
  [[nodiscard]] std::size_t SlotOf(std::uint64_t id) const noexcept;
  void Enter(std::uint64_t id, std::size_t place) noexcept;
  [[nodiscard]] std::uint16_t* Slots() const noexcept;

  std::unique_ptr<std::byte[]> memory_;
  std::int64_t base_ms_ = 0;  // of narrow times
  std::uint32_t capacity_ = 0;
  std::uint32_t slots_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t live_ = 0;
  bool wide_ = false;
};

}  // namespace fanfold::reader
