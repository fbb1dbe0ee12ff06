// The rows of the table slot_maps.
#pragma once

#include <cstdint>
#include <string>

#include "common/sql/failure.h"
#include "common/stream/slot.h"

namespace fanfold {

// The rows of a new deployment's slot map, "(map, slot, shard), …", for an INSERT.
[[nodiscard]] std::string FirstSlotMapRows(std::int32_t shards);

// From rows of (slot, shard). Throws kRefused where there is none, or one that no map has.
template <class Rows>
[[nodiscard]] SlotMap ReadSlotMapRows(Rows& rows, SlotMapId id) {
  SlotMap map;
  map.shard_of.fill(Shard(-1));
  bool is_there = false;
  while (rows.Next()) {
    const auto slot = rows.I32(0);
    const bool is_slot = slot >= 0 && slot < kSlots;
    if (!is_slot) throw Failure(ErrorCode::kRefused, "slot_maps has a slot that is none");
    map.shard_of[static_cast<std::size_t>(slot)] = Shard(rows.I32(1));
    is_there = true;
  }
  if (is_there) return map;
  throw Failure(ErrorCode::kRefused,
                "there is no slot map " + std::to_string(id.value) + " on shard 0");
}

}  // namespace fanfold
