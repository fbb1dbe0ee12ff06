// What lanes keep beside their progress: the outbox and the parked records.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/mysql/connection.h"
#include "common/ports/projection_store.h"

namespace fanfold::mysql {

// The largest `detail` of a parked record, in bytes; what is longer is cut.
inline constexpr std::size_t kParkedDetailBytesMax = 512;

[[nodiscard]] std::string InsertOutbox(const StoreBatch& batch);
// Deletes what the batch's moves say is published.
[[nodiscard]] std::string DeletePublished(std::span<const LaneMove> moves);
[[nodiscard]] std::string SelectOutbox(std::span<const ClaimedLane> lanes);
// Hands the rows of SelectOutbox to the lanes they belong to.
void ReadOutbox(Rows& rows, std::span<ClaimedLane> lanes);

[[nodiscard]] std::string InsertParked(std::span<const ParkedRow> parked);
// What ReadParkedRow expects, in its order, from the table parked.
inline constexpr std::string_view kParkedColumns =
    "projection, generation, `partition`, record_offset, reason, detail, event_id, record_key, "
    "appended_ms";
[[nodiscard]] ParkedRow ReadParkedRow(const Rows& rows);

}  // namespace fanfold::mysql
