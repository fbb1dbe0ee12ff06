// The parked rows of every shard.
#pragma once

#include <cstddef>
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

// The projection that is given, or all.
[[nodiscard]] std::vector<Projection> ProjectionsOf(std::optional<Projection> projection);

// The rows parked at that position of any topic. Errors: as ProjectionReader's.
[[nodiscard]] Result<std::vector<ShardParked>> FindParked(const ShardReaders& readers,
                                                          std::optional<Projection> projection,
                                                          Position position);

// Rows of the projection with this reason, or with any but kErased, which concerns nobody; at most
// rows_max, by position. Errors: as ProjectionReader's.
[[nodiscard]] Result<std::vector<ShardParked>> ParkedOn(
    const ShardReaders& readers, Shard shard, Projection projection, std::size_t rows_max,
    std::optional<ParkReason> reason = std::nullopt);

// The same, shard by shard, at most rows_max of all.
[[nodiscard]] Result<std::vector<ShardParked>> AllParked(
    const ShardReaders& readers, Projection projection, std::size_t rows_max,
    std::optional<ParkReason> reason = std::nullopt);

}  // namespace fanfold::operations
