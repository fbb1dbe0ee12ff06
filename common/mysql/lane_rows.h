// The statements about the table progress.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/ports/lane_store.h"
#include "common/sql/lane_row.h"

namespace fanfold::mysql {

// The columns' enums hold the names that common/ports/lane.h gives, numbered as there.
void AppendName(std::string& sql, std::string_view name);

// projection = … AND generation = … AND `partition` = …
void AppendLaneIs(std::string& sql, const LaneId& lane);
// The same of any of these lanes, in parentheses: points of the primary key.
void AppendLaneIsAnyOf(std::string& sql, std::span<const LaneId> lanes);

// SELECT of these lanes by key; `locking` is "" or " FOR UPDATE".
[[nodiscard]] std::string SelectLanes(std::span<const LaneId> lanes, std::string_view locking);
// SELECT the lanes of every generation, by generation, locked.
[[nodiscard]] std::string SelectLanesOfPartitionForUpdate(Projection projection,
                                                          Partition partition);
// generation, decides
[[nodiscard]] std::string SelectFoldedGenerations(Projection projection);
// Adds rows for lanes that have none.
[[nodiscard]] std::string InsertLanes(std::span<const LaneId> lanes, bool deciding);
// Writes the fences of `taken` and the owner's name.
[[nodiscard]] std::string WriteFences(std::span<const TakenLane> taken, const std::string& owner);
// The compare-and-set of a batch. Matches as many rows as there are moves, or the batch is fenced.
// Requires: moves of one projection and generation, each partition once.
[[nodiscard]] std::string MoveLanes(std::span<const LaneMove> moves);
[[nodiscard]] std::string SetLaneState(const LaneId& lane, const Fence& fence, LaneState state,
                                       std::string_view reason);
// Halts lanes whoever owns them.
[[nodiscard]] std::string HaltLanes(std::span<const LaneId> lanes, std::string_view reason);
[[nodiscard]] std::string ForgetOwner(std::span<const LaneFence> lanes);

}  // namespace fanfold::mysql
