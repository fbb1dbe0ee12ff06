#pragma once

#include <cstdint>
#include <stop_token>
#include <thread>

#include "common/ports/event_log.h"
#include "writer/outcome_reading.h"
#include "writer/outcome_waiters.h"

namespace fanfold::writer {

// A thread that steps a reading of outcomes. While the log is away it tries again with backoff;
// waiters run into their own timeouts meanwhile.
template <class Decided>
class FollowerFor {
 public:
  static constexpr std::int64_t kPollTimeoutMs = 200;
  static constexpr std::int64_t kRetryMsInitial = 50;
  static constexpr std::int64_t kRetryMsMax = 2'000;

  // Starts the thread. The arguments are the reading's.
  FollowerFor(EventLog& log, std::int32_t partitions, WaitersFor<Decided>& waiters);
  // Blocks for at most one step of the reading.
  ~FollowerFor() = default;
  FollowerFor(const FollowerFor&) = delete;
  FollowerFor& operator=(const FollowerFor&) = delete;

  // As the reading's. Thread-safe.
  [[nodiscard]] bool is_following() const noexcept { return reading_.is_following(); }

 private:
  void Run(const std::stop_token& stop);

  ReadingFor<Decided> reading_;
  std::jthread thread_;  // last: it uses the reading
};

using OutcomeFollower = FollowerFor<Outcome>;
using PostFollower = FollowerFor<PostOutcome>;

}  // namespace fanfold::writer
