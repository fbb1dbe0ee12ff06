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
  // Less than any appender takes, so that none is refused for want of room.
  static constexpr std::size_t kInFlightMax = 50'000;
  static constexpr std::size_t kBytesInFlightMax = std::size_t{64} << 20;

  // The appender stops on failure.
  explicit AppendWindow(std::unique_ptr<LogAppender> appender);
  // Blocks until what is in flight has been called back.
  ~AppendWindow();
  AppendWindow(const AppendWindow&) = delete;
  AppendWindow& operator=(const AppendWindow&) = delete;

  // False when the window was full for timeout_ms.
  [[nodiscard]] bool WaitForRoom(std::int64_t timeout_ms);

  // Requires: WaitForRoom said true since the last call.
  void Append(std::int64_t line, Partition partition, std::string_view key, std::string_view value);
  // The same of a record that must land at `expected`: elsewhere is a failure.
  void AppendAt(std::int64_t line, Position expected, std::string_view key, std::string_view value);

  // Waits until everything was called back; false when timeout_ms ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms);

  [[nodiscard]] bool is_waiting() const noexcept { return in_flight_.load() > 0; }
  // Acked so far.
  [[nodiscard]] std::int64_t appended() const noexcept { return appended_.load(); }
  [[nodiscard]] bool failed() const noexcept { return failed_.load(); }
  // After Flush this is final: every line before it is in the log.
  [[nodiscard]] std::optional<AppendFailure> failure() const;

 private:
  void Done(std::int64_t line, std::size_t bytes, const Result<Position>& position);
  void Remember(std::int64_t line, const Error& error);
  void Leave(std::size_t bytes);

  std::atomic<std::size_t> in_flight_{0};
  std::atomic<std::size_t> bytes_in_flight_{0};
  std::atomic<std::int64_t> appended_{0};
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::optional<AppendFailure> failure_;
  std::unique_ptr<LogAppender> appender_;  // last: its callbacks use all of the above
};

}  // namespace fanfold::operations
