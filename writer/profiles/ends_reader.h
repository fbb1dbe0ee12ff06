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

// A thread that reads where the partitions of kErasedStreams end, for whoever asks: after he has
// asked, so that what he knew to be in the log lies below. Those who ask meanwhile share the next
// reading. Thread-safe.
class EndsReader {
 public:
  using Told = std::function<void(const Result<StreamEnds>&)>;

  // Of all that wait for a reading; of one caller, Caller::kWaitsMax.
  static constexpr std::size_t kWaitingMax = 1'000;
  // For the reading under way, and the one after it.
  static constexpr std::int64_t kTellMsMax =
      2 * static_cast<std::int64_t>(kErasedStreams.size()) * EventLog::kBoundsTimeoutMs;

  // Starts the thread. `log` outlives this.
  EndsReader(EventLog& log, std::int32_t partitions);
  // Tells all who wait. Blocks for at most kTellMsMax.
  ~EndsReader() = default;
  EndsReader(const EndsReader&) = delete;
  EndsReader& operator=(const EndsReader&) = delete;

  // Does not block. Calls back once, from the thread, which must not be held, or at once with
  // kOverloaded. Errors: the log's, when one end is not known.
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
