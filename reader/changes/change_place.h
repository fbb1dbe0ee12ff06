// Where a follower of changes stands, and what shows that this log has told it.
#pragma once

#include <array>
#include <cstddef>
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

// For each of these streams and each partition: the next event, and the digest of the record that
// told the one before it.
class ChangePlace {
 public:
  struct Stand {
    Offset next;
    std::uint64_t before = 0;  // 0: there is none, or it is not known
    [[nodiscard]] bool IsUnknown() const noexcept { return next > Offset(0) && before == 0; }
    friend bool operator==(const Stand&, const Stand&) = default;
  };

  // Before the first event. Requires: partitions ≥ 1.
  explicit ChangePlace(std::int32_t partitions)
      : partitions_(partitions),
        stands_(kChangeStreams.size() * static_cast<std::size_t>(partitions)) {}

  [[nodiscard]] const Stand& At(Stream stream, Partition partition) const {
    return stands_[IndexOf(stream, partition)];
  }
  [[nodiscard]] Stand& At(Stream stream, Partition partition) {
    return stands_[IndexOf(stream, partition)];
  }
  // All of them, in the order of an id.
  [[nodiscard]] const std::vector<Stand>& stands() const noexcept { return stands_; }
  [[nodiscard]] std::vector<Stand>& stands() noexcept { return stands_; }
  [[nodiscard]] std::size_t IndexOf(Stream stream, Partition partition) const;
  [[nodiscard]] std::int32_t partitions() const noexcept { return partitions_; }

  // The event is behind it, told by the record with this digest.
  void Pass(const StreamPosition& event, std::uint64_t digest) {
    At(event.stream, event.position.partition) = {Next(event.position.offset), digest};
  }
  [[nodiscard]] bool HasPassed(const StreamPosition& event) const {
    return At(event.stream, event.position.partition).next > event.position.offset;
  }
  // In every partition at `other`, or behind it?
  [[nodiscard]] bool Reaches(const ChangePlace& other) const;
  // The same, of the partitions of one stream.
  [[nodiscard]] bool Reaches(const ChangePlace& other, Stream stream) const;
  // Goes on to `other` where that is further, and learns digests where it is as far.
  void Raise(const ChangePlace& other);

  // One number of all its digests and offsets, 63 bits; nothing where a digest is not known.
  [[nodiscard]] std::optional<std::uint64_t> Proof() const;

  friend bool operator==(const ChangePlace&, const ChangePlace&) = default;

 private:
  std::int32_t partitions_;
  std::vector<Stand> stands_;  // by stream and partition
};

// The id that a follower brings back.
struct ChangeId {
  ChangePlace place;                   // without digests
  std::optional<std::uint64_t> proof;  // nothing in ids of releases before
};

// Opaque to callers: letters, digits and '-'. Proves its log unless a digest is not known.
[[nodiscard]] std::string EncodeChangePlace(const ChangePlace& place);
// Nothing: it is none of so many partitions.
[[nodiscard]] std::optional<ChangeId> DecodeChangeId(std::string_view text,
                                                     std::int32_t partitions);

}  // namespace fanfold::reader
