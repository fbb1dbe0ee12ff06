// `fanfold parked list` and `fanfold parked show POSITION`
#pragma once

#include <cstddef>
#include <optional>

#include "cli/terminal/session.h"
#include "common/ports/lane.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"

namespace fanfold {

struct ParkedListOptions {
  std::optional<Projection> projection;   // absent: all
  std::optional<ParkReason> reason = {};  // absent: any but kErased
  std::size_t limit = 100;                // 1 … ProjectionReader::kPageMax
};

// Every shard's parked records by projection, position and shard.
[[nodiscard]] ExitCode RunParkedList(Session& session, const ParkedListOptions& options);

struct ParkedShowOptions {
  std::optional<Projection> projection;
  Position position;  // of the record, in the topic its lane reads
};

// The rows at that position and the record's bytes. kError when nothing is parked there.
[[nodiscard]] ExitCode RunParkedShow(Session& session, const ParkedShowOptions& options);

}  // namespace fanfold
