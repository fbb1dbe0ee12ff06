// Group commit: what all appenders have queued goes into one transaction, again and again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/sqlite/append_queue.h"
#include "common/sqlite/log_ends.h"
#include "common/sqlite/log_file.h"

namespace fanfold::sqlite {

// Thread-safe. Without a thread of its own it is driven by CommitQueued, Flush and Close, by one
// thread at a time.
class Committer {
 public:
  // One transaction holds at most this many records, shared evenly by the queues that have some.
  static constexpr std::size_t kGroupRecordsMax = 20'000;
  static constexpr std::int64_t kRetryInitialMs = 10;
  static constexpr std::int64_t kRetryMaxMs = 1'000;

  Committer(std::unique_ptr<LogFile> file, std::shared_ptr<LogEnds> ends, const Clock& clock,
            bool own_thread);
  // Requires: every queue is closed.
  ~Committer();
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  [[nodiscard]] std::shared_ptr<AppendQueue> NewQueue(const AppenderOptions& options);
  // Answers what is left of it, kUnknown, and forgets it.
  void Close(const std::shared_ptr<AppendQueue>& queue);

  // As LogAppender::Append, in a queue.
  void Append(AppendQueue& queue, NewRecord record, LogAppender::Done done);
  // As LogAppender::Flush.
  [[nodiscard]] bool Flush(const AppendQueue& queue, std::int64_t timeout_ms);
  // As SqliteEventLog::CommitQueued.
  std::size_t CommitQueued();

  // The last transaction's failure; ok when it did not fail.
  [[nodiscard]] Status Health() const;

 private:
  struct Taken {
    std::shared_ptr<AppendQueue> queue;
    Waiting waiting;
  };

  void Run();
  // Waits until there is something to write or to answer; false when the committer stops.
  [[nodiscard]] bool AwaitWork();
  // When that is by itself. Requires: mutex_ is held.
  [[nodiscard]] std::optional<std::int64_t> DueMs() const;
  // One transaction: how many records were answered.
  std::size_t Round();
  void FillGroup();
  void NoteFailure(const Error& error);
  // Answers those of the group that are not to be written any more.
  std::size_t GiveUp(const Status& written);
  std::size_t AnswerWritten();
  void Count(std::span<const Taken> answered);

  const Clock& clock_;
  const std::shared_ptr<LogEnds> ends_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable answered_;
  std::vector<std::shared_ptr<AppendQueue>> queues_;
  Status health_;
  bool stopping_ = false;
  // For the thread that runs a round: the records in work, kept over a transaction that failed.
  const std::unique_ptr<LogFile> file_;
  std::vector<Taken> group_;
  Backoff retry_{kRetryInitialMs, kRetryMaxMs};
  std::int64_t retry_at_ms_ = 0;
  std::thread thread_;
};

}  // namespace fanfold::sqlite
