#pragma once

#include <compare>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/stream.h"

namespace fanfold {

// Partition and offset of an event, written "p:n". Inclusive: reached when event n is applied.
struct Position {
  Partition partition;
  Offset offset;
  friend auto operator<=>(const Position&, const Position&) noexcept = default;
};

[[nodiscard]] std::string ToString(Position position);
[[nodiscard]] std::optional<Position> ParsePosition(std::string_view text) noexcept;

// A position and its stream, written "STREAM/p:n"; of the relations "p:n" alone, since they were
// the only stream when clients first kept positions.
struct StreamPosition {
  Stream stream;
  Position position;
  friend auto operator<=>(const StreamPosition&, const StreamPosition&) noexcept = default;
};

[[nodiscard]] std::string ToString(const StreamPosition& position);
// Takes the relations' with their name, too.
[[nodiscard]] std::optional<StreamPosition> ParseStreamPosition(std::string_view text) noexcept;

// Joined with commas, at most one a partition of a stream; otherwise nothing.
[[nodiscard]] std::optional<std::vector<StreamPosition>> ParsePositions(std::string_view text);

}  // namespace fanfold
