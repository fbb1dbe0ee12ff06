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
  [[nodiscard]] ProfileWrites& writes() noexcept { return writes_; }
  [[nodiscard]] const ProfileWrites& writes() const noexcept { return writes_; }

 private:
  struct ReadRecord {
    Offset offset;
    std::expected<ProfileEvent, Unreadable> event;
  };

  std::int32_t partitions_;
  std::vector<ReadRecord> read_;
  ProfileWrites writes_;
};

}  // namespace fanfold::projector
