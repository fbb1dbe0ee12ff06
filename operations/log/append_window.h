// Appends lines in their order with a bounded number in flight, and remembers which line failed
// first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "common/ports/event_log.h"

namespace fanfold::operations {

struct AppendFailure {
  std::int64_t line = 0;  // the first, in the file's order, that is not known to be in the log
  Error error;
};

// One thread calls; the appender's threads call back.
class AppendWindow {
 public:
  static constexpr std::size_t kInFlightMax = 50'000;
  // Who waits for room goes on when half is free: fewer wake-ups.
  static constexpr std::size_t kInFlightLow = kInFlightMax / 2;

  explicit AppendWindow(std::unique_ptr<LogAppender> appender);
  // Blocks until what is in flight has been called back.
  ~AppendWindow();
  AppendWindow(const AppendWindow&) = delete;
  AppendWindow& operator=(const AppendWindow&) = delete;

  // False when the window was full for timeout_ms.
  [[nodiscard]] bool WaitForRoom(std::int64_t timeout_ms);

  // False when the appender is full: nothing was appended, wait for room and call again.
  // Requires: WaitForRoom said true since the last call.
  [[nodiscard]] bool Append(std::int64_t line, Partition partition, std::string_view key,
                            std::string_view value);
  // The same of a record that must land at `expected`: elsewhere is a failure.
  [[nodiscard]] bool AppendAt(std::int64_t line, Position expected, std::string_view key,
                              std::string_view value);

  // Waits until everything was called back; false when timeout_ms ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms);

  // Acked so far.
  [[nodiscard]] std::int64_t appended() const noexcept { return appended_.load(); }
  [[nodiscard]] bool failed() const noexcept { return failed_.load(); }
  // After Flush this is final: every line before it is in the log.
  [[nodiscard]] std::optional<AppendFailure> failure() const;

 private:
  void Done(std::int64_t line, const Result<Position>& position);
  void Remember(std::int64_t line, const Error& error);
  void Leave();

  std::atomic<std::size_t> in_flight_{0};
  std::atomic<std::int64_t> appended_{0};
  std::atomic<bool> failed_{false};
  std::atomic<bool> refused_{false};  // the appender had no room for the last append
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::optional<AppendFailure> failure_;
  std::unique_ptr<LogAppender> appender_;  // last: its callbacks use all of the above
};

}  // namespace fanfold::operations
