#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "common/base/caller.h"
#include "common/ports/event_log.h"
#include "common/profile/profile_event.h"

namespace fanfold::writer {

// A thread that reads where the partitions of kErasedStreams end. A reading begins after it was
// asked for, so all that its caller knew to be in the log lies below the ends. Callers that ask
// during a reading share the next one. Thread-safe.
class EndsReader {
 public:
  using Told = std::function<void(const Result<StreamEnds>&)>;

  // Bounds all that wait for a reading; Caller::kWaitsMax bounds those of one caller.
  static constexpr std::size_t kWaitingMax = 1'000;
  // Covers the reading under way and the one after it; the streams of one are read at once.
  static constexpr std::int64_t kTellMsMax = 2 * EventLog::kBoundsTimeoutMs;

  // Starts the thread. `log` outlives this.
  EndsReader(EventLog& log, std::int32_t partitions);
  // Tells all who wait. Blocks for at most kTellMsMax.
  ~EndsReader() = default;
  EndsReader(const EndsReader&) = delete;
  EndsReader& operator=(const EndsReader&) = delete;

  // Does not block. Calls `told` once: from this object's thread, which it must not hold, or at
  // once with kOverloaded. Errors: the log's, when one end is not known.
  void Ask(Told told, const CallerPtr& caller);

 private:
  struct Waiter {
    Told told;
    std::shared_ptr<const void> place;
  };

  void Run(const std::stop_token& stop);
  [[nodiscard]] Result<StreamEnds> Read();
  [[nodiscard]] Status Register(Told& told, const CallerPtr& caller);

  EventLog& log_;
  const std::int32_t partitions_;
  std::mutex mutex_;
  std::condition_variable_any one_came_;
  std::vector<Waiter> waiters_;
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace fanfold::writer
