// What verify finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/ports/lane.h"
#include "common/relation/edge.h"
#include "common/stream/ids.h"

namespace fanfold {

enum class DifferenceKind : std::uint8_t {
  kMissingRow = 1,  // the topics say that there is one
  kExtraRow = 2,    // the topics know of none
  kWrongState = 3,  // followed instead of unfollowed, or the other way round
  kWrongSince = 4,
  kWrongVersion = 5,
  kWrongCount = 6,    // not the number of the user's active rows
  kNotInTopics = 7,   // a lane has folded events whose outcomes neither topic nor outbox has
  kMisplacedRow = 8,  // of a user who lives on another shard
};
[[nodiscard]] std::string_view ToString(DifferenceKind kind) noexcept;

struct Difference {
  DifferenceKind kind = DifferenceKind::kMissingRow;
  Projection projection;
  Shard shard;
  UserId user;   // whose list or count it is; 0: none
  UserId other;  // 0: the user's count
  std::string detail;
};

// How a row differs from what the topics say; nothing when it does not. Version 0: no row.
[[nodiscard]] std::optional<DifferenceKind> Compare(const Edge& found,
                                                    const Edge& expected) noexcept;

}  // namespace fanfold
