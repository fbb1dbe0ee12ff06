// Where a follower of changes stands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "common/stream/stream.h"

namespace fanfold::reader {

// The streams whose changes are told, as a place names them.
inline constexpr std::array kChangeStreams = {streams::kRelations, streams::kUsers,
                                              streams::kPosts};

// Of each of these streams and each partition, the event that comes next.
class ChangePlace {
 public:
  // Before the first event. Requires: partitions ≥ 1.
  explicit ChangePlace(std::int32_t partitions)
      : partitions_(partitions),
        next_(kChangeStreams.size() * static_cast<std::size_t>(partitions)) {}

  [[nodiscard]] Offset& Next(Stream stream, Partition partition) {
    return next_[IndexOf(stream, partition)];
  }
  [[nodiscard]] Offset Next(Stream stream, Partition partition) const {
    return next_[IndexOf(stream, partition)];
  }
  // The event is behind it.
  void Pass(const StreamPosition& event) {
    Next(event.stream, event.position.partition) = fanfold::Next(event.position.offset);
  }
  [[nodiscard]] bool HasPassed(const StreamPosition& event) const {
    return Next(event.stream, event.position.partition) > event.position.offset;
  }
  // In every partition at `other`, or behind it?
  [[nodiscard]] bool Reaches(const ChangePlace& other) const;
  // The same, of the partitions of one stream.
  [[nodiscard]] bool Reaches(const ChangePlace& other, Stream stream) const;
  // Goes on to `other` where that is further.
  void Raise(const ChangePlace& other);
  [[nodiscard]] std::int32_t partitions() const noexcept { return partitions_; }

  friend bool operator==(const ChangePlace&, const ChangePlace&) = default;

 private:
  [[nodiscard]] std::size_t IndexOf(Stream stream, Partition partition) const;

  std::int32_t partitions_;
  std::vector<Offset> next_;  // by stream and partition
};

// Opaque to callers: letters, digits and '-'.
[[nodiscard]] std::string EncodeChangePlace(const ChangePlace& place);
// Nothing: it is none of so many partitions.
[[nodiscard]] std::optional<ChangePlace> DecodeChangePlace(std::string_view text,
                                                           std::int32_t partitions);

}  // namespace fanfold::reader
