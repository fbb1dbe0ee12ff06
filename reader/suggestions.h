// Who could be followed next, by whom those one follows follow. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/relation/cursor.h"
#include "common/stream/ids.h"

namespace fanfold::reader {

inline constexpr std::size_t kSuggestionViasTold = 3;

// A user whom the asker follows, and whom that user follows.
struct Via {
  UserId user;
  std::vector<ListedUser> follows;
};

struct Suggestion {
  UserId user;
  std::int64_t score = 0;   // how many of the vias follow this user
  std::vector<UserId> via;  // the first kSuggestionViasTold of them, in the order of the vias
  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

// Everybody whom a via follows but the user and the vias, score descending, then id descending.
// Requires: vias unique, nobody twice in one's follows.
[[nodiscard]] std::vector<Suggestion> RankSuggestions(UserId user, std::span<const Via> vias);

}  // namespace fanfold::reader
