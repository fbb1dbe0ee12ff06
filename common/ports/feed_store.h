// The rows of feed state: one for each time that a post was shown, and one of when the owner last
// looked. Adapters: MySQL, SQLite; each passes tests/contract/feed_store_contract.h.
#pragma once

#include <cstddef>
#include <vector>

#include "common/feed/feed_row.h"
#include "common/ports/as.h"
#include "common/ports/lane_store.h"
#include "common/ports/row_image.h"

namespace fanfold {

struct FeedWrite {
  RowKey key;  // feed_kind.h
  FeedRow row;
};

struct FeedWrites : RowWrites {
  // Sorted by key, unique; of a row that is there the newer counts.
  std::vector<FeedWrite> shown;

  [[nodiscard]] std::size_t rows() const noexcept override { return shown.size(); }
};

// Requires: of a projection of feed state.
[[nodiscard]] inline const FeedWrites& FeedWritesOf(const RowWrites& rows) {
  return As<FeedWrites>(rows);
}

}  // namespace fanfold
