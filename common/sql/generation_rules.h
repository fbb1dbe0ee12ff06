// A row of the table generations, and what may be done with a generation. Throw Failure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/ports/generation_operations.h"
#include "common/sql/lane_row.h"

namespace fanfold {

// Throws kRefused for a name that this build does not know.
[[nodiscard]] GenerationState GenerationStateNamed(std::string_view name);

// The columns of ReadGenerationRow, in its order.
inline constexpr std::string_view kGenerationColumns =
    "projection, generation, state, decides, until_ms, slot_map";

// From the current row of an adapter's answer.
template <class Rows>
[[nodiscard]] GenerationRow ReadGenerationRow(const Rows& rows) {
  return {ProjectionNamed(rows.Text(0)),
          Generation(rows.I32(1)),
          GenerationStateNamed(rows.Text(2)),
          rows.I32(3) != 0,
          rows.IsNull(4) ? std::nullopt : std::optional(rows.I64(4)),
          SlotMapId(rows.I32(5))};
}

// By the registry's order and generation: the tables have projections by the alphabet.
void SortAsListed(std::vector<GenerationRow>& rows);

// The state once all is loaded.
[[nodiscard]] constexpr GenerationState StateOfLoaded(const GenerationRow& row) noexcept {
  return row.until_ms ? GenerationState::kSide : GenerationState::kFolding;
}

// Throws kNotFound.
[[nodiscard]] GenerationRow FindGeneration(std::span<const GenerationRow> all,
                                           Projection projection, Generation generation);

// Throws kRefused when it is not there, or not folded.
void CheckFolded(std::span<const GenerationRow> all, Projection projection, Generation generation);

// The same of each lane's: one of a generation that was dropped must not come back.
void CheckFolded(std::span<const GenerationRow> all, std::span<const LaneId> lanes);

// `read`: the slot map of all that is read. Throws kRefused when it is not there, not folded, or of
// another map.
void CheckReadable(std::span<const GenerationRow> all, Projection projection, Generation generation,
                   SlotMapId read);

// `deciders`: how many of its lanes decide. Throws kRefused where one does, and where it is ordered
// to decide.
void CheckDroppable(std::span<const GenerationRow> all, std::int64_t deciders,
                    Projection projection, Generation generation);

}  // namespace fanfold
