// Rows of profiles gathered from their events, the latest of each user. Pure.
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
  explicit ProfileRows(const Placement& placement) : placement_(placement) {}

  // As FoldBatch::ReadDecided and Keep have it.
  [[nodiscard]] std::vector<std::expected<Decided, Unreadable>> Read(
      std::span<const LogRecord> records);
  void Keep(std::span<const std::size_t> places);

  // By user, the latest of each alone.
  void Seal();
  [[nodiscard]] std::vector<ProfileWrite>& rows() noexcept { return rows_; }
  [[nodiscard]] const std::vector<ProfileWrite>& rows() const noexcept { return rows_; }

 private:
  struct ReadRecord {
    Offset offset;
    std::expected<ProfileEvent, Unreadable> event;
  };

  Placement placement_;
  std::vector<ReadRecord> read_;
  std::vector<ProfileWrite> rows_;
};

}  // namespace fanfold::projector
