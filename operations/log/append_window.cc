#include "operations/log/append_window.h"

#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "common/stream/position.h"

namespace fanfold::operations {

AppendWindow::AppendWindow(std::unique_ptr<LogAppender> appender)
    : appender_(std::move(appender)) {}

AppendWindow::~AppendWindow() = default;

bool AppendWindow::WaitForRoom(std::int64_t timeout_ms) {
  if (in_flight_.load() < kInFlightMax && !refused_.load()) return true;
  std::unique_lock lock(mutex_);
  const bool room = room_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                   [this] { return in_flight_.load() <= kInFlightLow; });
  if (room) refused_.store(false);
  return room;
}

bool AppendWindow::Append(std::int64_t line, Partition partition, std::string_view key,
                          std::string_view value) {
  in_flight_.fetch_add(1);
  appender_->Append(partition, key, value,
                    [this, line](const Result<Position>& position) { Done(line, position); });
  return !refused_.load();
}

bool AppendWindow::AppendAt(std::int64_t line, Position expected, std::string_view key,
                            std::string_view value) {
  in_flight_.fetch_add(1);
  appender_->Append(
      expected.partition, key, value, [this, line, expected](const Result<Position>& position) {
        if (position && position->offset != expected.offset) {
          Remember(line,
                   {ErrorCode::kInternal, fmt::format("it belongs at {} and landed at {}",
                                                      ToString(expected), ToString(*position))});
        }
        Done(line, position);
      });
  return !refused_.load();
}

bool AppendWindow::Flush(std::int64_t timeout_ms) { return appender_->Flush(timeout_ms); }

std::optional<AppendFailure> AppendWindow::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void AppendWindow::Done(std::int64_t line, const Result<Position>& position) {
  if (position) {
    appended_.fetch_add(1);
  } else if (position.error().code == ErrorCode::kOverloaded) {
    refused_.store(true);
  } else {
    Remember(line, position.error());
  }
  Leave();
}

void AppendWindow::Remember(std::int64_t line, const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!failure_ || line < failure_->line) failure_ = AppendFailure{line, error};
  failed_.store(true);
}

void AppendWindow::Leave() {
  const std::size_t left = in_flight_.fetch_sub(1) - 1;
  if (left != kInFlightLow && left != 0) return;
  // Under the lock, so that a waiter who has just looked cannot miss it.
  const std::lock_guard lock(mutex_);
  room_.notify_all();
}

}  // namespace fanfold::operations
