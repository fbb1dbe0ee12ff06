// What one appender has handed over and not been answered about, in order. Bookkeeping alone: no
// thread, no clock; its owner locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "common/ports/event_log.h"
#include "common/sqlite/log_file.h"

namespace fanfold::sqlite {

struct Waiting {
  NewRecord record;
  LogAppender::Done done;
  std::int64_t queued_ms = 0;  // steady
  // A commit of it failed so late that a crash could still bring it back.
  bool perhaps_written = false;
};

class AppendQueue {
 public:
  explicit AppendQueue(const AppenderOptions& options) : options_(options) {}

  // False, and `waiting` is left as it was, when a limit is reached.
  [[nodiscard]] bool Add(Waiting& waiting);
  // The next one to be written. It counts as in flight until Answered.
  [[nodiscard]] Waiting Take();
  void Answered(const NewRecord& record);

  // How many wait to be taken.
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
  // When the first is to be written: it waits for companions until then. Nothing: none waits.
  [[nodiscard]] std::optional<std::int64_t> DueMs() const;
  // Whether one of it that cannot be written has to be given up now.
  [[nodiscard]] bool Expired(const Waiting& waiting, std::int64_t now_ms) const;

  // Numbers of records since the beginning: answers come in the order of the calls.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  [[nodiscard]] std::uint64_t answered() const noexcept { return answered_; }

  // The appender is going: nothing of it is to be written any more.
  void Close() noexcept { closed_ = true; }
  [[nodiscard]] bool closed() const noexcept { return closed_; }

 private:
  static std::size_t BytesOf(const NewRecord& record) noexcept {
    return record.key.size() + record.value.size();
  }

  const AppenderOptions options_;
  std::deque<Waiting> waiting_;
  std::size_t bytes_in_flight_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t answered_ = 0;
  bool closed_ = false;
};

}  // namespace fanfold::sqlite
