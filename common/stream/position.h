#pragma once

#include <compare>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/stream/ids.h"

namespace fanfold {

// Partition and offset of an event, written "p:n". Inclusive: reached when event n is applied.
struct Position {
  Partition partition;
  Offset offset;
  friend auto operator<=>(const Position&, const Position&) noexcept = default;
};

[[nodiscard]] std::string ToString(Position position);
[[nodiscard]] std::optional<Position> ParsePosition(std::string_view text) noexcept;

// Positions joined with commas, at most one a partition; otherwise nothing.
[[nodiscard]] std::optional<std::vector<Position>> ParsePositions(std::string_view text);

}  // namespace fanfold
