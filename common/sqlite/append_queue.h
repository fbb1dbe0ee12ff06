// The records that one appender has handed over and not been answered about, in order. Bookkeeping
// alone: no thread, no clock; its owner locks.
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
  AppendQueue(const AppenderOptions& options, std::int32_t partitions)
      : options_(options), partitions_(partitions) {}

  // Takes it, unless it refuses, which leaves `waiting` as it was; as LogAppender::Append says.
  [[nodiscard]] Status Add(Waiting& waiting);
  // The next one to be written. It counts as in flight until Answered.
  [[nodiscard]] Waiting Take();
  // Why one that was taken is not to be written any more, after `written` became of the last
  // attempt; nothing while it is.
  [[nodiscard]] std::optional<Error> WhyGiveUp(const Waiting& waiting, const Status& written,
                                               std::int64_t now_ms);
  void Answered(const NewRecord& record);

  // How many wait to be taken.
  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }
  // When the first is to be written: it waits for companions until then. Nothing: none waits.
  [[nodiscard]] std::optional<std::int64_t> DueMs() const;

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

  [[nodiscard]] Status Check(const NewRecord& record) const;

  const AppenderOptions options_;
  const std::int32_t partitions_;
  std::deque<Waiting> waiting_;
  std::size_t bytes_in_flight_ = 0;
  std::uint64_t added_ = 0;
  std::uint64_t answered_ = 0;
  bool closed_ = false;
  bool refusing_ = false;  // told to stop on failure: one was refused, so are all after it
  bool broken_ = false;    // and one was given up: so are all in flight
};

}  // namespace fanfold::sqlite
