#include "common/sqlite/share_out.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace fanfold::sqlite {

std::vector<MemberId> ShareOut(const std::vector<MemberId>& before,
                               std::span<const MemberId> members) {
  std::vector<MemberId> shares(before.size(), kNobody);
  if (members.empty()) return shares;
  const std::size_t least = before.size() / members.size();
  std::size_t larger_left = before.size() % members.size();
  std::map<MemberId, std::size_t> held;
  for (const MemberId member : members) held[member] = 0;

  for (std::size_t p = 0; p < before.size(); ++p) {
    const auto holder = held.find(before[p]);
    if (holder == held.end()) continue;
    if (holder->second > least || (holder->second == least && larger_left == 0)) continue;
    if (holder->second == least) --larger_left;
    ++holder->second;
    shares[p] = before[p];
  }
  for (MemberId& share : shares) {
    if (share != kNobody) continue;
    const auto fewest =
        std::ranges::min_element(held, {}, [](const auto& member) { return member.second; });
    share = fewest->first;
    ++fewest->second;
  }
  return shares;
}

}  // namespace fanfold::sqlite
