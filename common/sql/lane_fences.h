// Rules for lanes that are taken, between reading their rows and writing them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/ports/halt_reason.h"
#include "common/ports/lane_store.h"
#include "common/sql/lane_row.h"

namespace fanfold {

// The lanes asked for, by key, each once: whoever takes lanes locks them in the same order.
[[nodiscard]] std::vector<LaneId> SortedUnique(std::span<const LaneId> lanes);

// Splits lanes, sorted by key, by projection. The tables hold projections by name, so an index has
// them by the alphabet. To lock rows of several projections, use a statement for each, in the
// registry's order.
[[nodiscard]] std::vector<std::span<const LaneId>> OfEachProjection(std::span<const LaneId> sorted);

// The lanes of `asked` that have no row.
[[nodiscard]] std::vector<LaneId> WithoutRow(std::span<const LaneId> asked,
                                             std::span<const LaneRow> rows);

// The rows as their new owner has them: each epoch one higher, with a nonce of its own, no outbox
// yet. Throws kConflict when a lane of `asked` has no row.
[[nodiscard]] std::vector<TakenLane> TakenOver(std::span<const LaneId> asked,
                                               std::span<LaneRow> rows);

// The lanes of projections that decide.
[[nodiscard]] std::map<Projection, std::vector<LaneId>> DecidingLanes(
    std::span<const LaneId> lanes);

// The made lanes that must apply: another lane decides about their partition already. The others
// may decide.
[[nodiscard]] std::vector<LaneId> DecidedByAnother(std::span<const LaneId> made,
                                                   std::span<const LaneRow> deciders);

// The lanes to be halted: those that share their partition with another one that decides, as after
// a restore of one shard from before a promotion. `deciders` are the rows with the role, any
// generation.
[[nodiscard]] std::vector<LaneId> SharingDeciders(std::span<const LaneRow> deciders);

// Says in the log that they are halted, and in those that were taken.
void SayTwoDeciders(std::span<const LaneId> halted, std::span<TakenLane> taken);

// Hands each row of an outbox to the lane it belongs to.
void GiveOutboxRow(std::span<TakenLane> lanes, const LaneId& lane, OutboxRow row);

}  // namespace fanfold
