// The parked rows of every shard.
#pragma once

#include <optional>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/stream/position.h"
#include "operations/base/backend.h"

namespace fanfold::operations {

struct ShardParked {
  Shard shard;
  ParkedRow row;
};

// Where the record stands: deciding lanes read events; those that apply read outcomes, and park
// those they cannot read.
[[nodiscard]] Topic TopicOf(const ParkedRow& row) noexcept;
[[nodiscard]] Position PositionOf(const ParkedRow& row) noexcept;

// That one, or all.
[[nodiscard]] std::vector<Projection> ProjectionsOf(std::optional<Projection> projection);

// What is parked at that position of either topic. Errors: as ProjectionReader's.
[[nodiscard]] Result<std::vector<ShardParked>> FindParked(const ShardReaders& readers,
                                                          std::optional<Projection> projection,
                                                          Position position);

// Every row of the projection, shard by shard in their order, page by page; the first rows_max of
// those with that reason, or any. Errors: as ProjectionReader's.
[[nodiscard]] Result<std::vector<ShardParked>> AllParked(
    const ShardReaders& readers, Projection projection, std::size_t rows_max,
    std::optional<ParkReason> reason = std::nullopt);

}  // namespace fanfold::operations
