// The changes that this process tells: the threads that read the topics, and the streams.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/http/body_source.h"
#include "common/ports/event_log.h"
#include "reader/changes/catch_up.h"
#include "reader/changes/change_board.h"
#include "reader/changes/friend_hints.h"

namespace fanfold::reader {

class ChangeStream;

// Reads the topics from the moment when somebody first follows them. Thread-safe.
class ChangeHub {
 public:
  static constexpr std::size_t kPollRecordsMax = 256;  // published at once
  static constexpr std::int64_t kPollTimeoutMs = 100;
  static constexpr std::int64_t kRetryMs = 500;
  static constexpr std::int64_t kSweepMs = 1'000;
  static constexpr std::size_t kCatchUpsMax = 8;       // who read the log, each by a thread
  static constexpr std::size_t kCatchUpsOfOneMax = 4;  // of one token, or one user

  // All outlive it; whatever has taken streams of it is gone before.
  ChangeHub(EventLog& log, const PositionBoard& board, ReaderFactory factory, const Clock& clock,
            Metrics& metrics);
  // Blocks for a poll, or for a question to the log or the tables.
  ~ChangeHub();
  ChangeHub(const ChangeHub&) = delete;
  ChangeHub& operator=(const ChangeHub&) = delete;

  // Told once, now or later, from any thread. Errors: kRefused, there are too many listeners, or it
  // was retired; kOverloaded, too many read the log; kOutOfRange, the log is another than the one
  // in which they stood; kUnavailable, it does not say.
  using Begun = std::function<void(Result<http::BodySource>)>;
  // Does not block.
  void Listen(ListenerAsked asked, Begun begun);
  // Every stream ends, and no other begins.
  void Retire();
  [[nodiscard]] std::int32_t partitions() const noexcept { return board_.shape().partitions; }

 private:
  friend class ChangeStream;
  using StreamPtr = std::shared_ptr<ChangeStream>;

  void Run(const std::stop_token& stop);
  [[nodiscard]] Status Follow(const std::stop_token& stop);
  [[nodiscard]] Status FollowStream(Stream stream, ChangeLogReader& reader,
                                    const std::stop_token& stop);
  void MarkFriends(std::span<const ToldEvent> told);
  // False: the topics' ends are not known yet; the stream waits, and asks again then.
  [[nodiscard]] bool IsKnown(const StreamPtr& stream, http::PartSink& sink);
  void TellKnown();
  // Refuses the streams that wait to begin: with a place of their own they wait for no absent log.
  void RefuseBegins(const Error& why);
  // Nobody waits for a log that is another's.
  void EndWaits();
  // Null: there are too many, or too many of `who`, null where nobody is asked.
  [[nodiscard]] std::shared_ptr<CatchUp> NewCatchUp(const ListenerPtr& listener,
                                                    const ChangeFilter& filter,
                                                    const PrincipalPtr& who,
                                                    const ChangePlace& from);

  EventLog& log_;
  const PositionBoard& board_;
  const ReaderFactory factory_;
  const Clock& clock_;
  ChangeBoard changes_;
  FriendHints hints_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false;
  bool known_ = false;
  using Waits = std::pair<std::weak_ptr<ChangeStream>, http::PartSink>;
  std::vector<Waits> unknown_;                       // who wait until it is
  std::vector<std::pair<StreamPtr, Begun>> begins_;  // likewise, with a place to be judged
  struct OnTheirWay {
    PrincipalPtr who;
    std::shared_ptr<CatchUp> catch_up;
  };
  std::list<OnTheirWay> catch_ups_;
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace fanfold::reader
