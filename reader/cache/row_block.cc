#include "reader/cache/row_block.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "common/base/check.h"

namespace fanfold::reader {
namespace {

constexpr std::uint64_t kNarrowIdMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kNarrowSpanMs = std::int64_t{1} << 40;
constexpr std::uint16_t kEmptySlot = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t kNarrowRowBytes = 4 + 4 + 1;
constexpr std::size_t kWideRowBytes = 8 + 8;

// Room for a few newer rows, so that not every one makes the block anew.
std::size_t CapacityFor(std::size_t rows) { return rows + rows / 64 + 2; }

template <class T>
T ReadAt(const std::byte* column, std::size_t place) noexcept {
  T value;
  std::memcpy(&value, column + place * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void Store(std::byte* column, std::size_t place, T value) noexcept {
  std::memcpy(column + place * sizeof(T), &value, sizeof(T));
}

}  // namespace

// Columns, each as long as the capacity: slots (2), ids (4 or 8), times (4 and 1, or 8).
RowBlock::RowBlock(std::span<const ListedUser> newest_first) {
  FANFOLD_CHECK(newest_first.size() <= kRowsMax, "a block's places are 16 bits");
  if (!newest_first.empty()) {
    base_ms_ = newest_first.back().since_ms;
    const auto id_max = std::ranges::max(newest_first, {}, &ListedUser::user).user.value;
    wide_ = id_max > kNarrowIdMax || newest_first.front().since_ms - base_ms_ >= kNarrowSpanMs;
  }
  const std::size_t capacity = std::min(CapacityFor(newest_first.size()), kRowsMax);
  capacity_ = static_cast<std::uint32_t>(capacity);
  slots_ = static_cast<std::uint32_t>(capacity > kScanMax ? capacity + capacity / 3 : 0);
  memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes());
  std::fill_n(Slots(), slots_, kEmptySlot);
  for (auto row = newest_first.rbegin(); row != newest_first.rend(); ++row) {
    Write(size_, *row);
    Enter(row->user.value, size_++);
  }
  live_ = size_;
}

std::size_t RowBlock::bytes() const noexcept {
  return slots_ * sizeof(std::uint16_t) + capacity_ * (wide_ ? kWideRowBytes : kNarrowRowBytes);
}

std::uint16_t* RowBlock::Slots() const noexcept {
  return reinterpret_cast<std::uint16_t*>(memory_.get());
}

std::uint64_t RowBlock::IdAt(std::size_t place) const noexcept {
  const std::byte* ids = memory_.get() + slots_ * sizeof(std::uint16_t);
  return wide_ ? ReadAt<std::uint64_t>(ids, place) : ReadAt<std::uint32_t>(ids, place);
}

std::int64_t RowBlock::SinceAt(std::size_t place) const noexcept {
  const std::byte* ids = memory_.get() + slots_ * sizeof(std::uint16_t);
  if (wide_) return ReadAt<std::int64_t>(ids + capacity_ * sizeof(std::uint64_t), place);
  const std::byte* low = ids + capacity_ * sizeof(std::uint32_t);
  const std::byte* high = low + capacity_ * sizeof(std::uint32_t);
  const std::uint64_t offset =
      (std::uint64_t{ReadAt<std::uint8_t>(high, place)} << 32) | ReadAt<std::uint32_t>(low, place);
  return base_ms_ + static_cast<std::int64_t>(offset);
}

void RowBlock::Write(std::size_t place, const ListedUser& row) noexcept {
  std::byte* ids = memory_.get() + slots_ * sizeof(std::uint16_t);
  if (wide_) {
    Store(ids, place, row.user.value);
    Store(ids + capacity_ * sizeof(std::uint64_t), place, row.since_ms);
    return;
  }
  std::byte* low = ids + capacity_ * sizeof(std::uint32_t);
  const auto offset = static_cast<std::uint64_t>(row.since_ms - base_ms_);
  Store(ids, place, static_cast<std::uint32_t>(row.user.value));
  Store(low, place, static_cast<std::uint32_t>(offset));
  Store(low + capacity_ * sizeof(std::uint32_t), place, static_cast<std::uint8_t>(offset >> 32));
}

bool RowBlock::Fits(const ListedUser& row) const noexcept {
  if (wide_) return true;
  return row.user.value <= kNarrowIdMax && row.since_ms >= base_ms_ &&
         row.since_ms - base_ms_ < kNarrowSpanMs;
}

// Fibonacci hashing, then Lemire's multiplication in place of a division.
std::size_t RowBlock::SlotOf(std::uint64_t id) const noexcept {
  const std::uint64_t mixed = (id * 0x9E3779B97F4A7C15ULL) >> 32;
  return static_cast<std::size_t>((mixed * slots_) >> 32);
}

void RowBlock::Enter(std::uint64_t id, std::size_t place) noexcept {
  if (slots_ == 0) return;
  std::uint16_t* slots = Slots();
  std::size_t slot = SlotOf(id);
  while (slots[slot] != kEmptySlot) slot = slot + 1 == slots_ ? 0 : slot + 1;
  slots[slot] = static_cast<std::uint16_t>(place);
}

std::optional<std::size_t> RowBlock::Find(UserId user) const noexcept {
  if (slots_ == 0) {
    for (std::size_t place = 0; place < size_; ++place) {
      if (IdAt(place) == user.value) return place;
    }
    return std::nullopt;
  }
  const std::uint16_t* slots = Slots();
  for (std::size_t slot = SlotOf(user.value); slots[slot] != kEmptySlot;
       slot = slot + 1 == slots_ ? 0 : slot + 1) {
    if (IdAt(slots[slot]) == user.value) return slots[slot];
  }
  return std::nullopt;
}

bool RowBlock::TryAppend(const ListedUser& row) noexcept {
  if (size_ == capacity_ || !Fits(row)) return false;
  // A removed row has no id left to compare: the same time means to be made anew.
  const bool is_newest = size_ == 0 || row.since_ms > SinceAt(size_ - 1) ||
                         (IsLive(size_ - 1) && ListedBefore(row, At(size_ - 1)));
  if (!is_newest) return false;
  Write(size_, row);
  Enter(row.user.value, size_++);
  ++live_;
  return true;
}

// The row's slots stay: nobody has the id 0, so they lead on.
void RowBlock::Remove(std::size_t place) noexcept {
  std::byte* ids = memory_.get() + slots_ * sizeof(std::uint16_t);
  if (wide_) {
    Store(ids, place, std::uint64_t{0});
  } else {
    Store(ids, place, std::uint32_t{0});
  }
  --live_;
}

}  // namespace fanfold::reader
