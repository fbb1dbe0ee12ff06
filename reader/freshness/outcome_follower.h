// The thread that follows the outcome topic for the cache: the reader's position moves with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>

#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "reader/cache/live_lists.h"
#include "reader/freshness/outcome_reading.h"
#include "reader/freshness/position_board.h"

namespace fanfold::reader {

// Starts at the slowest fans' progress. Whatever is wrong (a gap, an outcome that cannot be read,
// the log away or another one) gives the reader's position up, and it starts again from the tables.
class OutcomeFollower {
 public:
  static constexpr std::int64_t kRetryMs = 500;
  // A place that is lost again and again is looked for ever more seldom, up to this.
  static constexpr std::int64_t kRetryAfterLossMaxMs = 10'000;
  static constexpr std::int64_t kPollTimeoutMs = 100;

  // Starts. `moved` is called after each step. All outlive this object.
  OutcomeFollower(PositionBoard& board, LiveLists& live, EventLog& log, Metrics& metrics,
                  std::function<void()> moved);
  // Stops; blocks for a poll or a question to the log.
  ~OutcomeFollower() = default;
  OutcomeFollower(const OutcomeFollower&) = delete;
  OutcomeFollower& operator=(const OutcomeFollower&) = delete;

  // Has the reader come to what was the topic's end when it started? True as well when it cannot,
  // since the log is away or the place in it was lost: the tables answer then. Errors:
  // kUnavailable, with the reason.
  [[nodiscard]] Status CaughtUp() const;

 private:
  void Run(const std::stop_token& stop);
  // From the tables' progress until something is wrong or it is told to stop.
  [[nodiscard]] Status Follow(const std::stop_token& stop);

  LiveLists& live_;
  Gauge& running_shown_;
  Counter& losses_;
  OutcomeReading reading_;
  std::atomic<bool> lost_ = false;
  std::jthread thread_;
};

}  // namespace fanfold::reader
