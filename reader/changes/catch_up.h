// A follower of changes on its way through the log.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "common/http/body_source.h"
#include "reader/changes/change_board.h"
#include "reader/changes/change_log_reader.h"
#include "reader/changes/friend_hints.h"

namespace fanfold::reader {

// A thread that reads the topics from the follower's place until the board's window has what comes
// next. Thread-safe.
class CatchUp {
 public:
  static constexpr std::size_t kPollRecordsMax = 256;  // of a stream: a part's, too
  static constexpr std::int64_t kPollTimeoutMs = 20;

  // Starts. Log, board and what the hints stand on outlive it.
  CatchUp(EventLog& log, ChangeBoard& board, FriendHints hints, ListenerPtr listener,
          ChangeFilter filter, ChangePlace from, const Clock& clock);
  // Blocks for a question to the log, unless it is over.
  ~CatchUp() = default;
  CatchUp(const CatchUp&) = delete;
  CatchUp& operator=(const CatchUp&) = delete;

  // Is the place of the log that has this proof? Told once, by the thread, which goes on only if it
  // is; kUnavailable when it is told to leave before. Requires: nothing was asked before.
  using Proved = std::function<void(const Status&)>;
  void Prove(std::optional<std::uint64_t> proof, Proved then);
  // Gives the next part, now or later. False: the follower is no longer behind, ask the board.
  [[nodiscard]] bool Ask(http::PartSink sink);
  // The follower is gone. Does not block.
  void Leave() { thread_.request_stop(); }
  // Blocks for a question to the log. Requires: Leave before.
  void Join() { thread_.join(); }
  [[nodiscard]] bool is_over() const noexcept { return over_; }

 private:
  struct Question {
    std::optional<std::uint64_t> proof;
    Proved then;
  };
  void Run(const std::stop_token& stop);
  void DropQuestion();
  [[nodiscard]] bool Answers(const Question& question, const std::stop_token& stop);
  [[nodiscard]] bool GivesNext(const std::stop_token& stop);
  // The next part; nothing when the window has it, or it was told to stop. Errors: the log's.
  [[nodiscard]] Result<std::string> Next(const std::stop_token& stop);
  [[nodiscard]] Status Read(Stream stream, std::string& text);

  EventLog& log_;
  ChangeBoard& board_;
  const ListenerPtr listener_;
  const ChangeFilter filter_;
  const Clock& clock_;
  FriendHints hints_;  // the thread's, as all up to the mutex
  ChangePlace place_;  // the thread's
  std::map<Stream, ChangeLogReader> readers_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::optional<http::PartSink> sink_;
  std::optional<Question> question_;
  bool greeted_ = false;  // the thread's
  bool has_arrived_ = false;
  std::atomic<bool> over_ = false;
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace fanfold::reader
