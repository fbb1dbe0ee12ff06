// Reads the outcomes as they come and tells those who wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "writer/outcome_waiters.h"

namespace fanfold::writer {

// Everything it does happens in Step, on one thread, so that a test or a simulation can drive it;
// outcome_follower.h gives it a thread.
class OutcomeReading {
 public:
  static constexpr std::size_t kPollRecordsMax = 10'000;

  // `log`, whose topic has so many partitions of ours, and `waiters` outlive this.
  OutcomeReading(EventLog& log, std::int32_t partitions, OutcomeWaiters& waiters)
      : log_(log), partitions_(partitions), waiters_(waiters) {}

  // Places the reader at the end of every partition; from the next step on tells those who wait
  // what came within poll_ms. Rests where OutcomeWaiters says so; whoever comes then is waited for
  // as long. Blocks for twice EventLog::kBoundsTimeoutMs or poll_ms. Errors: the log's. After
  // kUnavailable the next step goes on where this one stood; after any other it begins anew at the
  // ends.
  [[nodiscard]] Status Step(std::int64_t poll_ms);

  // Whether all partitions are being read, or will be: an event appended from now on as
  // OutcomeWaiters says has its outcome seen.
  // Thread-safe.
  [[nodiscard]] bool is_following() const noexcept { return following_.load(); }

 private:
  [[nodiscard]] Status StepOn(std::int64_t poll_ms);
  [[nodiscard]] Status StartAll();
  void Rest();
  [[nodiscard]] Status Follow(std::int64_t poll_ms);
  void Deliver(const LogBatch& batch);

  EventLog& log_;
  const std::int32_t partitions_;
  OutcomeWaiters& waiters_;
  std::atomic<bool> following_{false};
  bool is_at_rest_ = false;
  std::unique_ptr<LogReader> reader_;  // null: begins anew
};

}  // namespace fanfold::writer
