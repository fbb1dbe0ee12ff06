#include "operations/log/append_window.h"

#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "common/stream/position.h"

namespace fanfold::operations {

namespace {

// Who waits for room goes on when half is free: fewer wake-ups.
constexpr std::size_t kInFlightLow = AppendWindow::kInFlightMax / 2;
constexpr std::size_t kBytesInFlightLow = AppendWindow::kBytesInFlightMax / 2;

// Takes from what is in flight; whether that freed half of it.
bool FreesHalf(std::atomic<std::size_t>& in_flight, std::size_t taken, std::size_t low) {
  const std::size_t before = in_flight.fetch_sub(taken);
  return before > low && before - taken <= low;
}

}  // namespace

AppendWindow::AppendWindow(std::unique_ptr<LogAppender> appender)
    : appender_(std::move(appender)) {}

AppendWindow::~AppendWindow() = default;

bool AppendWindow::WaitForRoom(std::int64_t timeout_ms) {
  if (in_flight_.load() < kInFlightMax && bytes_in_flight_.load() < kBytesInFlightMax) return true;
  std::unique_lock lock(mutex_);
  return room_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] {
    return in_flight_.load() <= kInFlightLow && bytes_in_flight_.load() <= kBytesInFlightLow;
  });
}

void AppendWindow::Append(std::int64_t line, Partition partition, std::string_view key,
                          std::string_view value) {
  const std::size_t bytes = key.size() + value.size();
  in_flight_.fetch_add(1);
  bytes_in_flight_.fetch_add(bytes);
  appender_->Append(partition, key, value, [this, line, bytes](const Result<Position>& position) {
    Done(line, bytes, position);
  });
}

void AppendWindow::AppendAt(std::int64_t line, Position expected, std::string_view key,
                            std::string_view value) {
  const std::size_t bytes = key.size() + value.size();
  in_flight_.fetch_add(1);
  bytes_in_flight_.fetch_add(bytes);
  appender_->Append(expected.partition, key, value,
                    [this, line, bytes, expected](const Result<Position>& position) {
                      if (position && position->offset != expected.offset) {
                        Remember(line, {ErrorCode::kInternal,
                                        fmt::format("it belongs at {} and landed at {}",
                                                    ToString(expected), ToString(*position))});
                      }
                      Done(line, bytes, position);
                    });
}

bool AppendWindow::Flush(std::int64_t timeout_ms) { return appender_->Flush(timeout_ms); }

std::optional<AppendFailure> AppendWindow::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void AppendWindow::Done(std::int64_t line, std::size_t bytes, const Result<Position>& position) {
  if (position) {
    appended_.fetch_add(1);
  } else {
    Remember(line, position.error());
  }
  Leave(bytes);
}

void AppendWindow::Remember(std::int64_t line, const Error& error) {
  const std::lock_guard lock(mutex_);
  if (!failure_ || line < failure_->line) failure_ = AppendFailure{line, error};
  failed_.store(true);
}

void AppendWindow::Leave(std::size_t bytes) {
  const bool events = FreesHalf(in_flight_, 1, kInFlightLow);
  const bool memory = FreesHalf(bytes_in_flight_, bytes, kBytesInFlightLow);
  if (!events && !memory) return;
  // Under the lock, so that a waiter who has just looked cannot miss it.
  const std::lock_guard lock(mutex_);
  room_.notify_all();
}

}  // namespace fanfold::operations
