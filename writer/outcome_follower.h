#pragma once

#include <cstdint>
#include <stop_token>
#include <thread>

#include "common/ports/event_log.h"
#include "writer/outcome_reading.h"
#include "writer/outcome_waiters.h"

namespace fanfold::writer {

// A thread that steps an OutcomeReading. While the log is away it tries again with backoff; waiters
// run into their own timeouts meanwhile.
class OutcomeFollower {
 public:
  static constexpr std::int64_t kPollTimeoutMs = 200;
  static constexpr std::int64_t kRetryMsInitial = 50;
  static constexpr std::int64_t kRetryMsMax = 2'000;

  // Starts the thread. The arguments are OutcomeReading's.
  OutcomeFollower(EventLog& log, std::int32_t partitions, OutcomeWaiters& waiters);
  // Blocks for at most one step of the reading.
  ~OutcomeFollower() = default;
  OutcomeFollower(const OutcomeFollower&) = delete;
  OutcomeFollower& operator=(const OutcomeFollower&) = delete;

  // As OutcomeReading's. Thread-safe.
  [[nodiscard]] bool is_following() const noexcept { return reading_.is_following(); }

 private:
  void Run(const std::stop_token& stop);

  OutcomeReading reading_;
  std::jthread thread_;  // last: it uses the reading
};

}  // namespace fanfold::writer
