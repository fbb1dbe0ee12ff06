// Where the reader stands in the events of one stream.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "common/stream/slot.h"
#include "common/stream/stream.h"

namespace fanfold::reader {

// Thread-safe to look at; nothing blocks. A class that follows the stream derives from it and moves
// it, from one thread at a time.
class ReaderPosition {
 public:
  [[nodiscard]] bool running() const noexcept { return running_.load(std::memory_order_acquire); }
  // Has the reader passed the event? False while the position is not known.
  [[nodiscard]] bool Passed(Position position) const noexcept {
    const std::optional<Offset> next = Next(position.partition);
    return next && *next > position.offset;
  }
  // Has the reader passed everything below these ends, one a partition? False while the position is
  // not known.
  [[nodiscard]] bool PassedAll(std::span<const std::atomic<std::int64_t>> ends) const noexcept;
  // The reader's position of the partition; nothing while it is not known.
  [[nodiscard]] std::optional<Offset> Next(Partition partition) const noexcept {
    if (!running()) return std::nullopt;
    return Offset(At(partition).load(std::memory_order_acquire));
  }
  // While a stretch lasts the reader's position only rises. It ends where the position is given up,
  // or begins anew.
  [[nodiscard]] std::uint64_t Stretch() const noexcept { return stretch_; }
  [[nodiscard]] bool Lasts(std::uint64_t stretch) const noexcept {
    return stretch % 2 == 0 && stretch_ == stretch;
  }

 protected:
  ReaderPosition() = default;
  ~ReaderPosition() = default;

  // While an object of it lives, no stretch lasts.
  class StretchEnds {
   public:
    explicit StretchEnds(ReaderPosition& position) : stretch_(position.stretch_) { ++stretch_; }
    ~StretchEnds() { ++stretch_; }
    StretchEnds(const StretchEnds&) = delete;
    StretchEnds& operator=(const StretchEnds&) = delete;

   private:
    std::atomic<std::uint64_t>& stretch_;
  };
  // Both require that the stretch has ended.
  void StandAt(std::span<const Offset> next) noexcept;
  void GiveUp() noexcept { running_.store(false, std::memory_order_release); }

  void Move(Partition partition, Offset next) noexcept {
    At(partition).store(next.value, std::memory_order_release);
  }

 private:
  [[nodiscard]] std::atomic<std::int64_t>& At(Partition partition) noexcept {
    return next_[static_cast<std::size_t>(partition.value)];
  }
  [[nodiscard]] const std::atomic<std::int64_t>& At(Partition partition) const noexcept {
    return next_[static_cast<std::size_t>(partition.value)];
  }

  std::atomic<std::uint64_t> stretch_ = 0;  // odd while one ends
  std::atomic<bool> running_ = false;
  std::array<std::atomic<std::int64_t>, kPartitionsMax> next_{};
};

// Where the reader stands in each stream; null where nothing follows it.
using ReaderPositions = PerEntry<Stream, const ReaderPosition*>;
[[nodiscard]] inline ReaderPositions FollowsRelations(const ReaderPosition& position) {
  ReaderPositions positions;
  positions[streams::kRelations] = &position;
  return positions;
}

}  // namespace fanfold::reader
