// The differences that verify finds.
#pragma once

#include <string>

#include "common/ports/difference_kind.h"
#include "common/ports/lane.h"
#include "common/stream/ids.h"

namespace fanfold::projector {

struct Difference {
  DifferenceKind kind = DifferenceKind::kMissingRow;
  Projection projection;
  Shard shard;
  UserId user;   // whose row or count it is; 0: none
  UserId other;  // 0: the user's count, or the user's one row
  std::string detail;
};

}  // namespace fanfold::projector
