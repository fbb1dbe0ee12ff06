#include "common/ports/event_log.h"

#include <utility>

namespace fanfold {

Result<std::unique_ptr<LogReader>> EventLog::NewReader(Topic topic) {
  return NewReader(topic, ReaderOptions{});
}

Result<LogBounds> EventLog::Bounds(Topic topic, Partition partition) {
  return std::move(BoundsOf(topic, {&partition, 1}).front());
}

std::vector<Partition> AllPartitions(std::int32_t partitions) {
  std::vector<Partition> all;
  all.reserve(static_cast<std::size_t>(partitions));
  for (std::int32_t p = 0; p < partitions; ++p) all.emplace_back(p);
  return all;
}

Result<std::vector<LogBounds>> EventLog::AllBounds(Topic topic, std::int32_t partitions) {
  std::vector<LogBounds> held;
  for (Result<LogBounds>& bounds : BoundsOf(topic, AllPartitions(partitions))) {
    if (!bounds) return Forward(bounds);
    held.push_back(*bounds);
  }
  return held;
}

}  // namespace fanfold
