// Where an event stands in a log of another number of partitions. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "common/stream/slot.h"
#include "operations/log/record_reader.h"

namespace fanfold::operations {

struct AfreshPlace {
  Partition partition;
  bool if_version = false;  // the event names a version, which means an offset of the old log
};

// Of the log with `from` partitions, in the one with `to`: the event's own partition; one that the
// old log parks has a place where it is parked again. Nothing when there is none: every partition
// of a log of one is the right one.
[[nodiscard]] std::optional<AfreshPlace> PlaceAfresh(const StoredRecord& event, std::int32_t from,
                                                     std::int32_t to);

}  // namespace fanfold::operations
