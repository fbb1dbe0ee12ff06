// How far the partitions of a log are committed, and the wake-up of those who wait for more.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "common/ports/event_log.h"
#include "common/sqlite/log_file.h"

namespace fanfold::sqlite {

// Thread-safe.
class LogEnds {
 public:
  explicit LogEnds(PerPartition<LogBounds> bounds) : bounds_(std::move(bounds)) {}

  // Nothing for a partition that there is not.
  [[nodiscard]] std::optional<LogBounds> BoundsOf(Topic topic, Partition partition) const;

  // After a commit. Wakes whoever waits for a topic that has grown.
  void Publish(const PerPartition<LogBounds>& bounds);

  // Of the partitions in `positions`, those that hold something at or after their position; waits
  // for at most timeout_ms for the first.
  [[nodiscard]] std::vector<Partition> AwaitMore(Topic topic,
                                                 const std::map<Partition, Offset>& positions,
                                                 std::int64_t timeout_ms);

 private:
  // Requires: mutex_ is held.
  [[nodiscard]] std::vector<Partition> WithMore(Topic topic,
                                                const std::map<Partition, Offset>& positions) const;

  mutable std::mutex mutex_;
  PerPartition<LogBounds> bounds_;
  std::array<std::condition_variable, kTopics> grown_;
};

}  // namespace fanfold::sqlite
