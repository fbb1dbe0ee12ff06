#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "common/ports/event_log.h"
#include "common/stream/slot.h"

namespace fanfold::writer {

// The appender of a topic, which comes when the log is reached. Thread-safe; nothing blocks but
// Flush. Objects that appends call back outlive it.
class TopicAppender {
 public:
  // Requires: Shape::IsValid of the partitions and one shard.
  explicit TopicAppender(std::int32_t partitions) noexcept : partitions_(partitions) {}

  // Owns it. Requires: not called before.
  void Connect(std::unique_ptr<LogAppender> appender) {
    FANFOLD_CHECK(!is_connected(), "connected twice");
    appender_ = std::move(appender);
    connected_.store(true, std::memory_order_release);
  }
  // Appends a record of the user, in the user's partition. Before Connect: kUnavailable, at once.
  void Append(UserId user, std::string_view value, LogAppender::Done done) {
    if (!is_connected()) {
      return done(Fail(ErrorCode::kUnavailable, "it has not been reached since the start"));
    }
    appender_->Append(PartitionOf(user, partitions_), ToString(user), value, std::move(done));
  }
  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms) {
    return !is_connected() || appender_->Flush(timeout_ms);
  }

 private:
  [[nodiscard]] bool is_connected() const noexcept {
    return connected_.load(std::memory_order_acquire);
  }

  const std::int32_t partitions_;
  std::atomic<bool> connected_ = false;    // until then appender_ must not be looked at
  std::unique_ptr<LogAppender> appender_;  // its destructor still calls back
};

}  // namespace fanfold::writer
