// Rows of profiles gathered from their events, the latest of each user, and the ends of accounts
// that begin with them. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/profile_store.h"
#include "common/stream/slot.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

class ProfileRows {
 public:
  explicit ProfileRows(std::int32_t partitions) : partitions_(partitions) {}

  // As FoldBatch::ReadDecided and Keep have it.
  [[nodiscard]] std::vector<std::expected<Decided, Unreadable>> Read(
      std::span<const LogRecord> records);
  void Keep(std::span<const std::size_t> places);

  // By user, the latest of each alone.
  void Seal();
  [[nodiscard]] const ProfileWrites& writes() const noexcept { return writes_; }
  // About how much memory they take, as they were kept.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void Clear();

 private:
  struct ReadRecord {
    Offset offset;
    std::expected<ProfileEvent, Unreadable> event;
  };

  std::int32_t partitions_;
  std::vector<ReadRecord> read_;
  ProfileWrites writes_;
  std::size_t bytes_ = 0;
};

// About how much memory one takes.
[[nodiscard]] std::size_t BytesOf(const ProfileWrite& write) noexcept;
[[nodiscard]] std::size_t BytesOf(const Erasure& erasure) noexcept;

}  // namespace fanfold::projector
