// Who of a group works on which partition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fanfold::sqlite {

// Members are numbered from 1 as they join.
using MemberId = std::uint64_t;
inline constexpr MemberId kNobody = 0;

// Shares the partitions (by index) evenly: the largest share is at most one above the smallest. A
// partition stays with whom it was `before`, if he is a member and his share allows it. Pure.
[[nodiscard]] std::vector<MemberId> ShareOut(const std::vector<MemberId>& before,
                                             std::span<const MemberId> members);

}  // namespace fanfold::sqlite
