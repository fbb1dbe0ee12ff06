// The outbox and the parked records, which lanes keep beside their progress.
#pragma once

#include <span>
#include <string>

#include "common/mysql/connection.h"
#include "common/ports/lane_store.h"
#include "common/sql/parked_row.h"

namespace fanfold::mysql {

[[nodiscard]] std::string InsertOutbox(Projection projection, std::span<const OutboxRow> rows);
// Deletes what the batch's moves say is published.
[[nodiscard]] std::string DeletePublished(std::span<const LaneMove> moves);
[[nodiscard]] std::string SelectOutbox(std::span<const TakenLane> lanes);
// Hands the rows of SelectOutbox to the lanes they belong to.
void ReadOutbox(Rows& rows, std::span<TakenLane> lanes);

[[nodiscard]] std::string InsertParked(std::span<const ParkedRow> parked);

}  // namespace fanfold::mysql
