// `fanfold parked drop POSITION…`
#pragma once

#include <optional>
#include <vector>

#include "cli/session.h"
#include "common/ports/lane.h"
#include "common/relation/position.h"

namespace fanfold {

struct ParkedDropOptions {
  std::vector<Position> positions;
  std::optional<ProjectionKind> projection;  // absent: whichever parked it
};

// Forgets the rows; the records stay in their topics. One after the other: kError where nothing is
// parked, or both projections parked something and none was named; the others are dropped.
[[nodiscard]] ExitCode RunParkedDrop(Session& session, const ParkedDropOptions& options);

}  // namespace fanfold
