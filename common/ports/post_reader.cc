#include "common/ports/post_reader.h"

#include <algorithm>

namespace fanfold {

PostLanes::Lane PostLanes::LaneOf(Partition partition) const noexcept {
  const auto lane = std::ranges::lower_bound(lanes, partition, {}, &Lane::partition);
  const bool is_there = lane != lanes.end() && lane->partition == partition;
  return is_there ? *lane : Lane{partition, Offset(0), false};
}

}  // namespace fanfold
