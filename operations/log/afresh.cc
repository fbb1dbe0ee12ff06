#include "operations/log/afresh.h"

#include <expected>

#include "common/relation/codec.h"

namespace fanfold::operations {

std::optional<AfreshPlace> PlaceAfresh(const StoredRecord& event, std::int32_t from,
                                       std::int32_t to) {
  const Partition old = event.position.partition;
  const auto read = ReadEventRecord(event.key, event.value, old, from);
  if (read) return AfreshPlace{PartitionOf(read->subject, to), read->if_version.has_value()};
  if (read.error().reason != ParkReason::kWrongPartition) {
    return AfreshPlace{Partition(old.value % to)};
  }
  if (to == 1) return std::nullopt;
  const auto decoded = DecodeEvent(*event.value);
  const Partition home = PartitionOf(decoded->subject, to);
  return AfreshPlace{Partition((home.value + 1) % to)};
}

}  // namespace fanfold::operations
