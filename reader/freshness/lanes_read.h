// The lanes whose rows a query reads: these tell its lag, and a min_position waits for them. Pure.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/lane.h"
#include "common/ports/projection_reader.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "common/stream/slot.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// Lanes of the generation that is read, on one shard.
struct LanesRead {
  Projection projection;
  Shard shard;
  std::optional<Partition> partition;  // without: every partition that has rows on the shard
  friend auto operator<=>(const LanesRead&, const LanesRead&) noexcept = default;
};

// The lanes of the user's rows, for a projection whose rows are with their key.
[[nodiscard]] LanesRead LanesOfUser(Projection projection, UserId user, const Placement& placement);
// All of the projection.
void AddEverywhere(std::vector<LanesRead>& lanes, Projection projection,
                   const Placement& placement);

// Sorted, unique.
[[nodiscard]] std::vector<Shard> ShardsOf(std::span<const LanesRead> lanes);

// A lane that has to have applied the event at `event`.
struct LaneNeed {
  LaneId lane;
  Shard shard;
  Offset event;
};

// The lanes that have to have applied an event for `positions` to be reached: those of every
// projection that is read, or, where none of the stream is read, of all its projections. A position
// without rows of these users is waited for as well, so that 409 means the same for all. Requires:
// every partition < P.
[[nodiscard]] std::vector<LaneNeed> NeedsOf(std::span<const StreamPosition> positions,
                                            std::span<const LanesRead> lanes,
                                            const Deployment& deployment);

}  // namespace fanfold::reader
