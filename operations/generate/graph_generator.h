// A synthetic follow graph with the marginals that were measured at the source: who follows, who is
// followed, how many. The same options give the same graph on every machine: integers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/stream/ids.h"

namespace fanfold::operations {

struct GraphOptions {
  std::uint64_t users = 0;  // 1 … kGraphUsersMax; ids are 1 … users
  std::uint64_t seed = 1;
};
// 3.16 follows a user then still fit 32 bits.
inline constexpr std::uint64_t kGraphUsersMax = 1'000'000'000;

inline constexpr std::uint32_t kGeneratedFollowingsMax = 1000;
// 2025-01-01T00:00:00Z; the follows are spread over the year that begins there.
inline constexpr std::int64_t kGeneratedFromMs = 1'735'689'600'000;
inline constexpr std::int64_t kGeneratedSpanMs = 365LL * 24 * 3600 * 1000;

struct GeneratedFollow {
  UserId subject;
  UserId object;
  std::int64_t since_ms = 0;
  friend bool operator==(const GeneratedFollow&, const GeneratedFollow&) = default;
};

// No self-follows, no repeats. Follows stand in an order in which they could have happened: mixed
// over all users, `since_ms` never falling. About 25 bytes a follow while it is made, 12 after.
class FollowGraph {
 public:
  // In each 100 users 26 follow and are followed, 14 only follow, 9 are only followed. 7.9
  // followings for each who follows (8.3 for those of both), 10.4 fans for each of both; tails are
  // heavy, a user follows at most kGeneratedFollowingsMax. With few users these hold only roughly.
  // Requires: 1 ≤ users ≤ kGraphUsersMax. Takes about 0.3 s for a million follows.
  explicit FollowGraph(const GraphOptions& options);

  [[nodiscard]] std::size_t size() const noexcept { return follows_.size(); }
  [[nodiscard]] GeneratedFollow operator[](std::size_t index) const noexcept;

 private:
  struct Ranks {
    std::uint32_t subject;
    std::uint32_t object;
  };

  std::uint64_t seed_;
  std::vector<std::uint32_t> ids_;  // by rank; roles go by rank
  std::vector<Ranks> follows_;
};

// Degrees of `users` users that sum up to `total`, largest first, each 1 … cap: a discrete power
// law P(degree > k) = (m / (m + k))^exponent, its m chosen for the sum. Exponent 1 or 2. Sums that
// cannot be met (total < users, total > users · cap) are met as nearly as possible.
[[nodiscard]] std::vector<std::uint32_t> PowerLawDegrees(std::uint64_t users, std::uint64_t total,
                                                         std::uint64_t cap, int exponent);

}  // namespace fanfold::operations
