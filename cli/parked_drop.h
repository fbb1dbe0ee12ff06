// `fanfold parked drop`
#pragma once

#include <optional>
#include <vector>

#include "cli/session.h"
#include "common/ports/lane.h"
#include "common/relation/position.h"

namespace fanfold {

struct ParkedDropOptions {
  std::vector<Position> positions;       // empty: all
  std::optional<ParkReason> reason;      // of all, those alone
  std::optional<Projection> projection;  // absent: whichever parked it
};

// At most so many at once, the first by shard and position.
inline constexpr std::size_t kDropsAtOnceMax = 10'000;

// Forgets the rows; the records stay in their topics. One after the other: kError where nothing is
// parked, or both projections parked something and none was named; the others are dropped.
[[nodiscard]] ExitCode RunParkedDrop(Session& session, const ParkedDropOptions& options);

}  // namespace fanfold
