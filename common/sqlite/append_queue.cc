#include "common/sqlite/append_queue.h"

#include <fmt/format.h>
#include <utility>

#include "common/sqlite/sqlite_event_log.h"

namespace fanfold::sqlite {
namespace {

constexpr const char* kStopped = "stopped, an earlier append failed";

}  // namespace

Status AppendQueue::Add(Waiting& waiting) {
  if (Status checked = Check(waiting.record); !checked) {
    refusing_ = options_.stop_on_failure;
    return checked;
  }
  bytes_in_flight_ += BytesOf(waiting.record);
  ++added_;
  waiting_.push_back(std::move(waiting));
  return {};
}

Status AppendQueue::Check(const NewRecord& record) const {
  const std::size_t bytes = BytesOf(record);
  if (refusing_) return Fail(ErrorCode::kUnavailable, kStopped);
  if (bytes > options_.record_bytes_max) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("a record of {} bytes", bytes));
  }
  if (record.partition.value < 0 || record.partition.value >= partitions_) {
    return Fail(ErrorCode::kInvalidArgument,
                RecordsTable(record.topic, record.partition) + ": no such partition");
  }
  if (added_ - answered_ == LogAppender::kRecordsInFlightMax ||
      bytes_in_flight_ + bytes > SqliteEventLog::kBytesInFlightMax) {
    return Fail(ErrorCode::kOverloaded, fmt::format("{} records, {} bytes wait to be written",
                                                    added_ - answered_, bytes_in_flight_));
  }
  return {};
}

Waiting AppendQueue::Take() {
  Waiting taken = std::move(waiting_.front());
  waiting_.pop_front();
  return taken;
}

std::optional<Error> AppendQueue::WhyGiveUp(const Waiting& waiting, const Status& written,
                                            std::int64_t now_ms) {
  if (closed_) return Error{ErrorCode::kUnknown, "the appender was closed"};
  const bool expired = !written && options_.delivery_timeout_ms > 0 &&
                       now_ms - waiting.queued_ms >= options_.delivery_timeout_ms;
  if (!expired && !broken_) return std::nullopt;
  broken_ = refusing_ = options_.stop_on_failure;
  Error error = expired ? written.error() : Error{ErrorCode::kUnavailable, kStopped};
  if (waiting.perhaps_written) error.code = ErrorCode::kUnknown;
  return error;
}

void AppendQueue::Answered(const NewRecord& record) {
  bytes_in_flight_ -= BytesOf(record);
  ++answered_;
}

std::optional<std::int64_t> AppendQueue::DueMs() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.front().queued_ms + options_.linger_ms;
}

}  // namespace fanfold::sqlite
