// The table progress. Calls throw Failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/ports/lane_store.h"
#include "common/sql/generation_rules.h"
#include "common/sql/lane_row.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

// The lanes that have a row, in the order asked.
[[nodiscard]] std::vector<LaneRow> ReadLanes(Connection& connection, std::span<const LaneId> lanes);
// The partition's lanes of every generation.
[[nodiscard]] std::vector<LaneRow> ReadLanesOfPartition(Connection& connection,
                                                        Projection projection, Partition partition);
// The lanes of any generation that decide about the partitions of these lanes.
[[nodiscard]] std::vector<LaneRow> ReadDeciders(Connection& connection, Projection projection,
                                                std::span<const LaneId> lanes);

// Requires: they have none yet.
void AddLanes(Connection& connection, std::span<const LaneId> lanes, bool deciding,
              std::int64_t now_ms);
// Writes the fences of `taken` and the owner's name.
void WriteFences(Connection& connection, std::span<const TakenLane> taken, std::string_view owner,
                 std::int64_t now_ms);
// The compare-and-set of a batch: how many moves matched. Fewer than all: the batch is fenced.
[[nodiscard]] std::size_t MoveLanes(Connection& connection, std::span<const LaneMove> moves,
                                    std::int64_t now_ms);
// False when the lane has another owner.
[[nodiscard]] bool SetLaneState(Connection& connection, const LaneFence& one, LaneState state,
                                std::string_view reason, std::int64_t now_ms);
// Halts lanes whoever owns them.
void HaltLanes(Connection& connection, std::span<const LaneId> lanes, std::string_view reason,
               std::int64_t now_ms);
void ForgetOwner(Connection& connection, std::span<const LaneFence> lanes, std::int64_t now_ms);

// The statements of the hot path, for the test that looks at their plans.
[[nodiscard]] std::string SelectLaneText();
[[nodiscard]] std::string MoveLaneText();

// By projection and generation.
[[nodiscard]] std::vector<GenerationRow> GenerationRows(Connection& connection);

}  // namespace fanfold::sqlite
