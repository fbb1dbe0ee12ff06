// Lists parked rows, with their records.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "common/stream/position.h"
#include "operations/base/context.h"
#include "operations/log/record_reader.h"
#include "operations/parked/parked_rows.h"

namespace fanfold::operations {

struct ParkedPage {
  std::vector<ShardParked> rows;  // by projection, position and shard
  bool more = false;
};

// The first `limit` rows of all shards together; without `projection` of all projections, without
// `reason` of any but kErased. Requires: 1 ≤ limit ≤ ProjectionReader::kPageMax. Errors: the
// ports'.
[[nodiscard]] Result<ParkedPage> FirstParked(Context& context, std::optional<Projection> projection,
                                             std::optional<ParkReason> reason, std::size_t limit);

struct ParkedRecord {
  ShardParked parked;
  std::optional<StoredRecord> record;  // nothing: it is not in the log any more
};

// The rows at that position, one or more. Errors: kNotFound, nothing is parked there; the ports'.
[[nodiscard]] Result<std::vector<ParkedRecord>> ParkedWithRecords(
    Context& context, std::optional<Projection> projection, Position position);

}  // namespace fanfold::operations
