// How far the partitions of a log are committed, and the wake-up of those who wait for more.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/sqlite/log_file.h"

namespace fanfold::sqlite {

// Thread-safe.
class LogEnds {
 public:
  using Look = std::function<Result<PerPartition<LogBounds>>()>;
  // Between two looks of one who waits.
  static constexpr std::int64_t kLookIntervalMs = 50;

  // `look` reads them where another process writes the log, which publishes nothing here. It is
  // called by one thread at a time, for each question.
  explicit LogEnds(PerPartition<LogBounds> bounds, Look look = {})
      : look_(std::move(look)), bounds_(std::move(bounds)) {}

  // Errors: kNotFound, there is no such partition; those of `look`.
  [[nodiscard]] Result<LogBounds> BoundsOf(Topic topic, Partition partition);

  // After a commit. Wakes whoever waits for a topic that has grown.
  void Publish(const PerPartition<LogBounds>& bounds);

  // The partitions in `positions` that hold something at or after their position; waits for at most
  // timeout_ms for the first. Errors: those of `look`.
  [[nodiscard]] Result<std::vector<Partition>> AwaitMore(
      Topic topic, const std::map<Partition, Offset>& positions, std::int64_t timeout_ms);

 private:
  // Requires: mutex_ is held.
  [[nodiscard]] Status LookAgain();
  // Requires: mutex_ is held.
  [[nodiscard]] std::vector<Partition> WithMore(Topic topic,
                                                const std::map<Partition, Offset>& positions) const;

  const Look look_;
  std::mutex mutex_;
  PerPartition<LogBounds> bounds_;
  PerTopic<std::condition_variable> grown_;
};

}  // namespace fanfold::sqlite
