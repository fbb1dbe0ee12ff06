#include "common/sqlite/log_ends.h"

#include <algorithm>
#include <chrono>

namespace fanfold::sqlite {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Result<LogBounds> LogEnds::BoundsOf(Topic topic, Partition partition) {
  const std::lock_guard lock(mutex_);
  if (Status looked = LookAgain(); !looked) return Forward(looked);
  const std::vector<LogBounds>& bounds = bounds_[topic];
  const auto index = static_cast<std::size_t>(partition.value);
  if (partition.value < 0 || index >= bounds.size()) {
    return Fail(ErrorCode::kNotFound, RecordsTable(topic, partition) + ": no such partition");
  }
  return bounds[index];
}

Status LogEnds::LookAgain() {
  if (!look_) return {};
  Result<PerPartition<LogBounds>> bounds = look_();
  if (!bounds) return Forward(bounds);
  bounds_ = std::move(*bounds);
  return {};
}

void LogEnds::Publish(const PerPartition<LogBounds>& bounds) {
  const std::lock_guard lock(mutex_);
  for (const Topic topic : Topic::All()) {
    bool grown = false;
    for (std::size_t p = 0; p < bounds[topic].size(); ++p) {
      grown = grown || bounds_[topic][p].end < bounds[topic][p].end;
      bounds_[topic][p] = bounds[topic][p];
    }
    if (grown) grown_[topic].notify_all();
  }
}

Result<std::vector<Partition>> LogEnds::AwaitMore(Topic topic,
                                                  const std::map<Partition, Offset>& positions,
                                                  std::int64_t timeout_ms) {
  const auto until = steady_clock::now() + milliseconds(timeout_ms);
  const auto interval = look_ ? milliseconds(kLookIntervalMs) : milliseconds::max();
  std::unique_lock lock(mutex_);
  while (true) {
    if (Status looked = LookAgain(); !looked) return Forward(looked);
    std::vector<Partition> more = WithMore(topic, positions);
    const auto left = ceil<milliseconds>(until - steady_clock::now());
    if (!more.empty() || left <= milliseconds(0)) return more;
    grown_[topic].wait_for(lock, std::min(left, interval));
  }
}

std::vector<Partition> LogEnds::WithMore(Topic topic,
                                         const std::map<Partition, Offset>& positions) const {
  std::vector<Partition> more;
  for (const auto& [partition, next] : positions) {
    const auto index = static_cast<std::size_t>(partition.value);
    if (next < bounds_[topic][index].end) more.push_back(partition);
  }
  return more;
}

}  // namespace fanfold::sqlite
