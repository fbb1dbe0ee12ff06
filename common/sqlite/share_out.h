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
// partition stays with its member of `before`, if that one is a member still and its share allows.
// Pure.
[[nodiscard]] std::vector<MemberId> ShareOut(const std::vector<MemberId>& before,
                                             std::span<const MemberId> members);

}  // namespace fanfold::sqlite
