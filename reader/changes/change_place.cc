#include "reader/changes/change_place.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/stream/cursor_text.h"

namespace fanfold::reader {

std::size_t ChangePlace::IndexOf(Stream stream, Partition partition) const {
  const auto* const found = std::ranges::find(kChangeStreams, stream);
  FANFOLD_CHECK(found != kChangeStreams.end(), "a stream without changes");
  const auto row = static_cast<std::size_t>(found - kChangeStreams.begin());
  return row * static_cast<std::size_t>(partitions_) + static_cast<std::size_t>(partition.value);
}

bool ChangePlace::Reaches(const ChangePlace& other) const {
  return std::ranges::equal(next_, other.next_, std::ranges::greater_equal());
}

bool ChangePlace::Reaches(const ChangePlace& other, Stream stream) const {
  for (std::int32_t p = 0; p < partitions_; ++p) {
    if (Next(stream, Partition(p)) < other.Next(stream, Partition(p))) return false;
  }
  return true;
}

void ChangePlace::Raise(const ChangePlace& other) {
  std::ranges::transform(next_, other.next_, next_.begin(),
                         [](Offset a, Offset b) { return std::max(a, b); });
}

std::string EncodeChangePlace(const ChangePlace& place) {
  std::vector<std::uint64_t> numbers;
  for (const Stream stream : kChangeStreams) {
    for (std::int32_t p = 0; p < place.partitions(); ++p) {
      numbers.push_back(static_cast<std::uint64_t>(place.Next(stream, Partition(p)).value));
    }
  }
  return EncodeCursorText(numbers);
}

std::optional<ChangePlace> DecodeChangePlace(std::string_view text, std::int32_t partitions) {
  std::vector<std::uint64_t> numbers(kChangeStreams.size() * static_cast<std::size_t>(partitions));
  if (!DecodeCursorText(text, numbers)) return std::nullopt;
  ChangePlace place(partitions);
  auto number = numbers.begin();
  for (const Stream stream : kChangeStreams) {
    for (std::int32_t p = 0; p < partitions; ++p) {
      place.Next(stream, Partition(p)) = Offset(static_cast<std::int64_t>(*number++));
    }
  }
  return place;
}

}  // namespace fanfold::reader
