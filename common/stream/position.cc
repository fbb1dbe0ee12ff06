#include "common/stream/position.h"

#include <bitset>
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

std::string ToString(const StreamPosition& position) {
  const std::string_view name = position.stream.name();
  const std::string text = ToString(position.position);
  return name == streams::kRelations.name() ? text : std::string(name) + "/" + text;
}

std::optional<StreamPosition> ParseStreamPosition(std::string_view text) noexcept {
  std::optional<Stream> stream = streams::kRelations;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    stream = Stream::Find(text.substr(0, slash));
    text.remove_prefix(slash + 1);
  }
  const std::optional<Position> position = ParsePosition(text);
  if (!stream || !position) return std::nullopt;
  return StreamPosition{*stream, *position};
}

std::optional<std::vector<StreamPosition>> ParsePositions(std::string_view text) {
  PerEntry<Stream, std::bitset<kSlots>> named;
  std::vector<StreamPosition> positions;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<StreamPosition> position = ParseStreamPosition(text.substr(0, comma));
    if (!position) return std::nullopt;
    auto partition =
        named[position->stream][static_cast<std::size_t>(position->position.partition.value)];
    if (partition) return std::nullopt;
    partition = true;
    positions.push_back(*position);
    if (comma == std::string_view::npos) return positions;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace fanfold
