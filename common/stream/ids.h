// Ids, offsets and counts as distinct types, so that two cannot be swapped.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fanfold {

template <class Tag, class Integer>
struct StrongInteger {
  Integer value{};

  constexpr StrongInteger() noexcept = default;
  constexpr explicit StrongInteger(Integer number) noexcept : value(number) {}
  friend constexpr auto operator<=>(const StrongInteger&, const StrongInteger&) noexcept = default;
};

// A user: 1 … 2^63−1. 0 stands for nobody.
using UserId = StrongInteger<struct UserIdTag, std::uint64_t>;
inline constexpr std::uint64_t kUserIdMax = (std::uint64_t{1} << 63) - 1;
// One of a user's posts: 1 … 2^63−1.
using PostId = StrongInteger<struct PostIdTag, std::uint64_t>;
inline constexpr std::uint64_t kPostIdMax = (std::uint64_t{1} << 63) - 1;
// One of the times that something was shown to a user: 1 … 2^63−1.
using ShownId = StrongInteger<struct ShownIdTag, std::uint64_t>;

// A partition of the two topics, 0 ≤ value < P.
using Partition = StrongInteger<struct PartitionTag, std::int32_t>;
// Where a record stands in its partition of one topic.
using Offset = StrongInteger<struct OffsetTag, std::int64_t>;
// The event that changed an edge last: its offset plus one; 0 = never.
using Version = StrongInteger<struct VersionTag, std::int64_t>;
// A database of the deployment, 0 ≤ value < S.
using Shard = StrongInteger<struct ShardTag, std::int32_t>;
// One build of a projection's tables, from 1.
using Generation = StrongInteger<struct GenerationTag, std::int32_t>;
// How many a user follows, or is followed by. Signed and never clamped: a negative one is drift.
using EdgeCount = StrongInteger<struct EdgeCountTag, std::int64_t>;

[[nodiscard]] constexpr Offset Next(Offset offset) noexcept { return Offset(offset.value + 1); }

// Decimal, 1 … 2^63−1, no sign, no leading zero, nothing around it; otherwise nothing.
[[nodiscard]] std::optional<UserId> ParseUserId(std::string_view text) noexcept;

// The same grammar with 0 allowed: times, offsets and versions, 0 … 2^63−1.
[[nodiscard]] std::optional<std::int64_t> ParseNonNegative(std::string_view text) noexcept;

[[nodiscard]] std::string ToString(UserId user);

}  // namespace fanfold

template <class Tag, class Integer>
struct std::hash<fanfold::StrongInteger<Tag, Integer>> {
  std::size_t operator()(const fanfold::StrongInteger<Tag, Integer>& id) const noexcept {
    // The multiplier of Fibonacci hashing (Knuth, TAOCP 6.4): sequential ids spread over all bits.
    const auto mixed = static_cast<std::uint64_t>(id.value) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed ^ (mixed >> 32));
  }
};
