// Parked records forgotten.
#pragma once

#include <optional>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"
#include "common/stream/position.h"
#include "operations/base/context.h"
#include "operations/parked/parked_rows.h"

namespace fanfold::operations {

struct ParkedDropOptions {
  std::vector<Position> positions;       // empty: all
  std::optional<ParkReason> reason;      // of all, those alone
  std::optional<Projection> projection;  // absent: whichever parked it
};

// At most so many of a projection at once, the first by shard and position.
inline constexpr std::size_t kDropsAtOnceMax = 10'000;

// The result for one position, or for all of a projection.
struct ParkedDropped {
  std::vector<ShardParked> rows;  // that are dropped
  std::vector<Error> failures;    // in their order
  bool is_read = true;            // else a failure tells why nobody knows what is parked
  // Its first kDropsAtOnceMax are dropped, and there are more.
  std::optional<Projection> has_more;
};

// Forgets the rows, one after the other; the records stay in their topics. A row that fails stops
// nothing. A projection whose rows cannot be read ends a drop of all. Failures: kNotFound, nothing
// is parked there; kInvalidArgument, several projections parked something there and none was named;
// the ports'. Errors of the whole: the shards cannot be asked.
[[nodiscard]] Result<std::vector<ParkedDropped>> DropParked(Context& context,
                                                            const ParkedDropOptions& options);

}  // namespace fanfold::operations
