#include "reader/changes/change_place.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/fnv1a.h"
#include "common/stream/cursor_text.h"

namespace fanfold::reader {
namespace {

// Of the text: 1 is the offsets alone, 2 has the proof behind them.
constexpr char kOffsets = '1';
constexpr char kProved = '2';

std::uint64_t Fold(std::uint64_t number, std::uint64_t hash) noexcept {
  std::array<char, sizeof(number)> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(number & 0xFF);
    number >>= 8;
  }
  return Fnv1a(std::string_view(bytes.data(), bytes.size()), hash);
}

}  // namespace

std::size_t ChangePlace::IndexOf(Stream stream, Partition partition) const {
  const auto* const found = std::ranges::find(kChangeStreams, stream);
  FANFOLD_CHECK(found != kChangeStreams.end(), "a stream without changes");
  const auto row = static_cast<std::size_t>(found - kChangeStreams.begin());
  return row * static_cast<std::size_t>(partitions_) + static_cast<std::size_t>(partition.value);
}

bool ChangePlace::Reaches(const ChangePlace& other) const {
  return std::ranges::equal(stands_, other.stands_, std::ranges::greater_equal(), &Stand::next,
                            &Stand::next);
}

bool ChangePlace::Reaches(const ChangePlace& other, Stream stream) const {
  for (std::int32_t p = 0; p < partitions_; ++p) {
    if (At(stream, Partition(p)).next < other.At(stream, Partition(p)).next) return false;
  }
  return true;
}

void ChangePlace::Raise(const ChangePlace& other) {
  std::ranges::transform(stands_, other.stands_, stands_.begin(),
                         [](const Stand& mine, const Stand& theirs) {
                           const bool is_further = theirs.next > mine.next;
                           const bool knows = theirs.next == mine.next && mine.before == 0;
                           return is_further || knows ? theirs : mine;
                         });
}

std::optional<std::uint64_t> ChangePlace::Proof() const {
  std::uint64_t hash = Fnv1a({});
  for (const Stand& stand : stands_) {
    if (stand.IsUnknown()) return std::nullopt;
    hash = Fold(stand.before, Fold(static_cast<std::uint64_t>(stand.next.value), hash));
  }
  return hash >> 1;
}

std::string EncodeChangePlace(const ChangePlace& place) {
  std::vector<std::uint64_t> numbers;
  for (const ChangePlace::Stand& stand : place.stands()) {
    numbers.push_back(static_cast<std::uint64_t>(stand.next.value));
  }
  const std::optional<std::uint64_t> proof = place.Proof();
  if (proof) numbers.push_back(*proof);
  return EncodeCursorText(numbers, proof ? kProved : kOffsets);
}

std::optional<ChangeId> DecodeChangeId(std::string_view text, std::int32_t partitions) {
  ChangeId id{ChangePlace(partitions), {}};
  std::vector<ChangePlace::Stand>& stands = id.place.stands();
  const bool is_proved = IsOfVersion(text, kProved);
  std::vector<std::uint64_t> numbers(stands.size() + (is_proved ? 1 : 0));
  if (!DecodeCursorText(text, numbers, is_proved ? kProved : kOffsets)) return std::nullopt;
  for (std::size_t i = 0; i < stands.size(); ++i) {
    stands[i].next = Offset(static_cast<std::int64_t>(numbers[i]));
  }
  if (is_proved) id.proof = numbers.back();
  return id;
}

}  // namespace fanfold::reader
