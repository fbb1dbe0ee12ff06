#include "common/sqlite/append_queue.h"

#include <utility>

#include "common/sqlite/sqlite_event_log.h"

namespace fanfold::sqlite {

bool AppendQueue::Add(Waiting& waiting) {
  const std::size_t bytes = bytes_in_flight_ + BytesOf(waiting.record);
  if (added_ - answered_ == LogAppender::kRecordsInFlightMax) return false;
  if (bytes > SqliteEventLog::kBytesInFlightMax) return false;
  bytes_in_flight_ = bytes;
  ++added_;
  waiting_.push_back(std::move(waiting));
  return true;
}

Waiting AppendQueue::Take() {
  Waiting taken = std::move(waiting_.front());
  waiting_.pop_front();
  return taken;
}

void AppendQueue::Answered(const NewRecord& record) {
  bytes_in_flight_ -= BytesOf(record);
  ++answered_;
}

std::optional<std::int64_t> AppendQueue::DueMs() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.front().queued_ms + options_.linger_ms;
}

bool AppendQueue::Expired(const Waiting& waiting, std::int64_t now_ms) const {
  return options_.delivery_timeout_ms > 0 &&
         now_ms - waiting.queued_ms >= options_.delivery_timeout_ms;
}

}  // namespace fanfold::sqlite
