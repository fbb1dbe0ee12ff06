// Reads the outcomes as they come and tells those who wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>

#include "common/ports/event_log.h"
#include "writer/outcome_waiters.h"

namespace fanfold::writer {

// A thread that reads every partition of the outcome topic from its end as it stood at the start.
// While the log is away it tries again with backoff; waiters run into their own timeouts meanwhile.
class OutcomeFollower {
 public:
  static constexpr std::size_t kPollRecordsMax = 10'000;
  static constexpr std::int64_t kPollTimeoutMs = 200;
  static constexpr std::int64_t kRetryMsInitial = 50;
  static constexpr std::int64_t kRetryMsMax = 2'000;

  // Starts the thread. `log` and `waiters` outlive this.
  OutcomeFollower(EventLog& log, OutcomeWaiters& waiters);
  // Blocks for at most a poll and, while the log is away, LogReader::kBoundsTimeoutMs a call.
  ~OutcomeFollower() = default;
  OutcomeFollower(const OutcomeFollower&) = delete;
  OutcomeFollower& operator=(const OutcomeFollower&) = delete;

  // Whether all partitions are being read: an event appended from now on has its outcome seen.
  [[nodiscard]] bool is_following() const noexcept { return following_.load(); }

 private:
  void Run(const std::stop_token& stop);
  // A reader that stands at the end of every partition.
  [[nodiscard]] Result<std::unique_ptr<LogReader>> StartAtTheEnds(const std::stop_token& stop);
  // Follows until stopped, or until the log lost what was to be read next.
  [[nodiscard]] Status Follow(LogReader& reader, const std::stop_token& stop);
  void Deliver(const LogBatch& batch);

  EventLog& log_;
  OutcomeWaiters& waiters_;
  std::atomic<bool> following_{false};
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace fanfold::writer
