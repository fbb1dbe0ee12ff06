// `fanfold parked replay`
#pragma once

#include <optional>
#include <vector>

#include "cli/session.h"
#include "common/ports/lane.h"
#include "common/relation/event.h"
#include "common/relation/position.h"

namespace fanfold {

struct ParkedReplayOptions {
  std::vector<Position> positions;       // empty: all
  std::optional<ParkReason> reason;      // of all, those alone
  std::optional<Projection> projection;  // absent: whichever parked it
  bool dry_run = false;                  // says what it would do
};

// At most so many at once, the first by shard and position.
inline constexpr std::size_t kReplaysAtOnceMax = 10'000;

// Appends what parked records ask for as new events, and tells of each what became of it. kError
// when one cannot be read or appended, else kRefused when one must not be appended.
[[nodiscard]] ExitCode RunParkedReplay(Session& session, const ParkedReplayOptions& options);

}  // namespace fanfold
