#include "reader/suggestions.h"

#include <algorithm>
#include <tuple>

namespace fanfold::reader {
namespace {

// The via at this place follows `user`.
struct Meeting {
  UserId user;
  std::size_t via = 0;
};

std::vector<Meeting> MeetingsOf(std::span<const Via> vias) {
  std::vector<Meeting> meetings;
  for (std::size_t i = 0; i < vias.size(); ++i) {
    for (const ListedUser& listed : vias[i].follows) meetings.push_back({listed.user, i});
  }
  std::ranges::sort(meetings, {}, [](const Meeting& met) { return std::tie(met.user, met.via); });
  return meetings;
}

// Requires: not empty, all of one user.
Suggestion SuggestionOf(std::span<const Meeting> meetings, std::span<const Via> vias) {
  Suggestion suggestion{meetings.front().user, std::ssize(meetings), {}};
  for (const Meeting& met : meetings.first(std::min(meetings.size(), kSuggestionViasTold))) {
    suggestion.via.push_back(vias[met.via].user);
  }
  return suggestion;
}

}  // namespace

std::vector<Suggestion> RankSuggestions(UserId user, std::span<const Via> vias) {
  std::vector<UserId> known = {user};
  for (const Via& via : vias) known.push_back(via.user);
  std::ranges::sort(known);
  const std::vector<Meeting> meetings = MeetingsOf(vias);
  std::vector<Suggestion> ranked;
  for (auto begin = meetings.begin(); begin != meetings.end();) {
    const auto end =
        std::ranges::upper_bound(begin, meetings.end(), begin->user, {}, &Meeting::user);
    if (!std::ranges::binary_search(known, begin->user)) {
      ranked.push_back(SuggestionOf({begin, end}, vias));
    }
    begin = end;
  }
  std::ranges::sort(ranked, std::ranges::greater(), [](const Suggestion& suggestion) {
    return std::tie(suggestion.score, suggestion.user);
  });
  return ranked;
}

}  // namespace fanfold::reader
