// Reads outcomes as they come and tells those who wait. When nobody has waited for a while it
// rests: it only looks now and then where the topic ends, and goes on from there when somebody
// comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "writer/outcome_waiters.h"

namespace fanfold::writer {

// Everything it does happens in Step, on one thread, so that a test or a simulation can drive it;
// outcome_follower.h gives it a thread.
template <class Decided>
class ReadingFor {
 public:
  static constexpr std::size_t kPollRecordsMax = 10'000;
  // Steps between two looks while it rests: whoever comes waits until the outcomes since the last
  // look are read. A look that a leader did not answer may have taken long, with nobody told.
  static constexpr int kStepsBetweenLooks = 25;
  static constexpr int kStepsAfterNoAnswer = 10 * kStepsBetweenLooks;

  // `partitions`: the deployment's. `log` and `waiters` outlive this.
  ReadingFor(EventLog& log, std::int32_t partitions, WaitersFor<Decided>& waiters)
      : log_(log), partitions_(partitions), waiters_(waiters) {}

  // The first step places the reader at the end of every partition. Each later one tells those who
  // wait what came within poll_ms, or rests for as long. Blocks for at most poll_ms and twice
  // EventLog::kBoundsTimeoutMs. Errors: the log's. After kUnavailable the next step goes on where
  // this one stood; after any other it begins anew at the ends.
  [[nodiscard]] Status Step(std::int64_t poll_ms);

  // Is the outcome seen of every event that is appended from now on, its waiter being registered?
  // Thread-safe.
  [[nodiscard]] bool is_following() const noexcept { return following_.load(); }

 private:
  [[nodiscard]] Status StartAll();
  [[nodiscard]] Status StartAtNext();
  [[nodiscard]] Status Follow(std::int64_t poll_ms);
  // Rests until somebody waits, for at most poll_ms.
  [[nodiscard]] Status Rest(std::int64_t poll_ms);
  // `registered`: how many waiters there had ever been when nobody waited.
  void LookAtEnds(std::uint64_t registered);
  void Deliver(const LogBatch& batch);

  EventLog& log_;
  const std::int32_t partitions_;
  WaitersFor<Decided>& waiters_;
  std::atomic<bool> following_{false};
  std::unique_ptr<LogReader> reader_;  // null: begins anew
  std::vector<Offset> next_;  // by partition: read below it, or where it ended at the last look
  bool is_at_rest_ = false;
  int steps_to_look_ = 0;
};

using OutcomeReading = ReadingFor<Outcome>;
using PostReading = ReadingFor<PostOutcome>;

}  // namespace fanfold::writer
