// Whether whoever is followed follows back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/clock.h"
#include "reader/changes/change.h"
#include "reader/freshness/position_board.h"
#include "reader/tables/own_connections.h"

namespace fanfold::reader {

// One thread. Hints: what is not asked, or not answered, is not marked.
class FriendHints {
 public:
  static constexpr std::size_t kLooksMax = 64;  // of a step: a statement each
  // After a question that failed none is asked for so long.
  static constexpr std::int64_t kRestMs = 5'000;

  // All outlive it.
  FriendHints(const PositionBoard& board, const ReaderFactory& factory, const Clock& clock)
      : board_(board), tables_(factory), clock_(clock) {}

  // Marks those that are follows and have made friends. Blocks for a question each.
  void Mark(std::span<Change* const> changes);

 private:
  [[nodiscard]] Result<bool> FollowsBack(const Change& change, const Deployment& deployment);

  const PositionBoard& board_;
  OwnConnections tables_;
  const Clock& clock_;
  std::int64_t rests_until_ms_ = 0;  // steady
};

}  // namespace fanfold::reader
