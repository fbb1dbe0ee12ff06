// The outbox and parked records, which lanes keep beside their progress. Calls throw Failure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/ports/lane_store.h"
#include "common/sql/parked_row.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

void AddOutbox(Connection& connection, const LaneBatch& batch);
// Deletes what the moves say is published.
void DeletePublished(Connection& connection, std::span<const LaneMove> moves);
// Gives each lane the rows it has.
void ReadOutbox(Connection& connection, std::span<TakenLane> lanes);

void AddParked(Connection& connection, std::span<const ParkedRow> parked, std::int64_t now_ms);

// For the test that looks at its plan.
[[nodiscard]] std::string_view DeletePublishedText() noexcept;

}  // namespace fanfold::sqlite
