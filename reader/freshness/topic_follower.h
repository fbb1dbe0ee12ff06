// The thread that follows a topic for what the reader holds of it: the reader's position moves with
// it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>

#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "reader/freshness/position_board.h"
#include "reader/freshness/topic_feed.h"
#include "reader/freshness/topic_reading.h"

namespace fanfold::reader {

// Whether a topic is followed, and how often its place was lost.
struct FollowerSeries {
  Gauge& follows;
  Counter& lost;

  // `metrics` outlives them.
  [[nodiscard]] static FollowerSeries OfOutcomes(Metrics& metrics);
  [[nodiscard]] static FollowerSeries Of(Topic topic, Metrics& metrics);
};

// Starts at the slowest lanes' progress. On a gap, a record that cannot be read or another log it
// gives the reader's position up and starts again from the tables; while the log is away the reader
// stands.
class TopicFollower {
 public:
  static constexpr std::int64_t kRetryMs = 500;
  // A place that is lost again and again is looked for ever more seldom, up to this.
  static constexpr std::int64_t kRetryAfterLossMaxMs = 10'000;
  static constexpr std::int64_t kPollTimeoutMs = 100;

  // Starts. `moved` is called after each step. All outlive this object.
  TopicFollower(PositionBoard& board, TopicFeed& feed, EventLog& log, const FollowerSeries& series,
                std::function<void()> moved);
  // Stops; blocks for a poll or a question to the log.
  ~TopicFollower() = default;
  TopicFollower(const TopicFollower&) = delete;
  TopicFollower& operator=(const TopicFollower&) = delete;

  // Has the reader come to where the topic ended when it started? True as well while the log is
  // away or the place is lost: the tables answer then. Errors: kUnavailable, with the reason.
  [[nodiscard]] Status CaughtUp() const;

 private:
  void Run(const std::stop_token& stop);
  // From the tables' progress until something is wrong or it is told to stop.
  [[nodiscard]] Status Follow(const std::stop_token& stop);

  TopicFeed& feed_;
  const FollowerSeries series_;
  TopicReading reading_;
  std::atomic<bool> lost_ = false;  // once: what it held is gone
  std::jthread thread_;
};

}  // namespace fanfold::reader
