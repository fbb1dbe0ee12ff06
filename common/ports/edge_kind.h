// Edges as a kind of rows. Their content is all that an edge says: since and, lowest, active.
#pragma once

#include "common/ports/row_kinds.h"
#include "common/relation/edge.h"

namespace fanfold {

// since_ms is one of 0 … 2^63−1.
[[nodiscard]] constexpr RowState StateOf(const Edge& edge) noexcept {
  if (SaysNothing(edge)) return {};
  return {edge.version,
          (static_cast<std::uint64_t>(edge.since_ms) << 1U) | std::uint64_t{edge.active}};
}
[[nodiscard]] constexpr Edge EdgeOf(const RowState& state) noexcept {
  return {(state.content & 1U) != 0, static_cast<std::int64_t>(state.content >> 1U), state.version};
}

// Differences that edges alone have.
inline constexpr DifferenceKind kWrongState{"wrong_state"};  // followed for unfollowed, or reversed
inline constexpr DifferenceKind kWrongSince{"wrong_since"};

extern const RowKind kEdges;

}  // namespace fanfold
