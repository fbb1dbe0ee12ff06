#include "operations/log/afresh.h"

#include <expected>

#include "common/relation/codec.h"

namespace fanfold::operations {

std::optional<AfreshPlace> PlaceAfresh(const StoredRecord& event, const Placement& from,
                                       const Placement& to) {
  const Partition old = event.position.partition;
  const auto read = ReadEventRecord(event.key, event.value, old, from);
  if (read) return AfreshPlace{to.PartitionOf(read->subject), read->if_version.has_value()};
  if (read.error().reason != ParkReason::kWrongPartition) {
    return AfreshPlace{Partition(old.value % to.partitions())};
  }
  if (to.partitions() == 1) return std::nullopt;
  const auto decoded = DecodeEvent(*event.value);
  const Partition home = to.PartitionOf(decoded->subject);
  return AfreshPlace{Partition((home.value + 1) % to.partitions())};
}

}  // namespace fanfold::operations
