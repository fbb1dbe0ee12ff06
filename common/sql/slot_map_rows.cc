#include "common/sql/slot_map_rows.h"

#include <fmt/format.h>
#include <iterator>

namespace fanfold {

std::string FirstSlotMapRows(std::int32_t shards) {
  const SlotMap map = SlotMap::Modulo(shards);
  std::string rows;
  for (std::size_t slot = 0; slot < map.shard_of.size(); ++slot) {
    fmt::format_to(std::back_inserter(rows), "{}({}, {}, {})", slot == 0 ? "" : ", ",
                   kFirstSlotMap.value, slot, map.shard_of[slot].value);
  }
  return rows;
}

}  // namespace fanfold
