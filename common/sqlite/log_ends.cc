#include "common/sqlite/log_ends.h"

#include <chrono>

namespace fanfold::sqlite {

std::optional<LogBounds> LogEnds::BoundsOf(Topic topic, Partition partition) const {
  const std::lock_guard lock(mutex_);
  const std::vector<LogBounds>& bounds = bounds_[IndexOf(topic)];
  const auto index = static_cast<std::size_t>(partition.value);
  if (partition.value < 0 || index >= bounds.size()) return std::nullopt;
  return bounds[index];
}

void LogEnds::Publish(const PerPartition<LogBounds>& bounds) {
  const std::lock_guard lock(mutex_);
  for (std::size_t topic = 0; topic < kTopics; ++topic) {
    bool grown = false;
    for (std::size_t p = 0; p < bounds[topic].size(); ++p) {
      grown = grown || bounds_[topic][p].end < bounds[topic][p].end;
      bounds_[topic][p] = bounds[topic][p];
    }
    if (grown) grown_[topic].notify_all();
  }
}

std::vector<Partition> LogEnds::AwaitMore(Topic topic, const std::map<Partition, Offset>& positions,
                                          std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  std::vector<Partition> more = WithMore(topic, positions);
  if (!more.empty() || timeout_ms <= 0) return more;
  grown_[IndexOf(topic)].wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] {
    more = WithMore(topic, positions);
    return !more.empty();
  });
  return more;
}

std::vector<Partition> LogEnds::WithMore(Topic topic,
                                         const std::map<Partition, Offset>& positions) const {
  std::vector<Partition> more;
  for (const auto& [partition, next] : positions) {
    const auto index = static_cast<std::size_t>(partition.value);
    if (next < bounds_[IndexOf(topic)][index].end) more.push_back(partition);
  }
  return more;
}

}  // namespace fanfold::sqlite
