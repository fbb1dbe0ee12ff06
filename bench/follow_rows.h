// The rows that the raw upserts write: those that the projections of a generated graph come to.
#pragma once

#include <cstdint>
#include <vector>

namespace fanfold::bench {

struct FollowRow {
  std::uint64_t user;
  std::uint64_t other;
  std::int64_t since_ms;
  std::int64_t version;
};

// The rows of a TSV of subject, object and since_ms, in its order, up to its first line that is
// none. Empty when the file cannot be read.
[[nodiscard]] std::vector<FollowRow> ReadFollowing(const char* path);

}  // namespace fanfold::bench
