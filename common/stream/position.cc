#include "common/stream/position.h"

#include <algorithm>
#include <limits>

#include "common/stream/slot.h"

namespace fanfold {

std::string ToString(Position position) {
  return std::to_string(position.partition.value) + ":" + std::to_string(position.offset.value);
}

std::optional<Position> ParsePosition(std::string_view text) noexcept {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> partition = ParseNonNegative(text.substr(0, colon));
  const std::optional<std::int64_t> offset = ParseNonNegative(text.substr(colon + 1));
  // The last offset is left out: a version is the offset plus one.
  constexpr std::int64_t kOffsetMax = std::numeric_limits<std::int64_t>::max() - 1;
  if (!partition || !offset || *partition >= kSlots || *offset > kOffsetMax) return std::nullopt;
  return Position{Partition(static_cast<std::int32_t>(*partition)), Offset(*offset)};
}

std::optional<std::vector<Position>> ParsePositions(std::string_view text) {
  std::vector<Position> positions;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<Position> position = ParsePosition(text.substr(0, comma));
    if (!position || positions.size() == static_cast<std::size_t>(kSlots)) return std::nullopt;
    const bool repeated = std::ranges::any_of(
        positions, [&](const Position& known) { return known.partition == position->partition; });
    if (repeated) return std::nullopt;
    positions.push_back(*position);
    if (comma == std::string_view::npos) return positions;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace fanfold
