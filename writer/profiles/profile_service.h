#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/caller.h"
#include "common/base/clock.h"
#include "common/ports/event_log.h"
#include "common/profile/profile_event.h"
#include "common/stream/event_ids.h"
#include "writer/command.h"
#include "writer/profiles/ends_reader.h"
#include "writer/profiles/profile_batch.h"
#include "writer/topic_appender.h"

namespace fanfold::writer {

// Turns what users tell of themselves into events in the log. Thread-safe; nothing blocks. Each
// answer comes exactly once, from the caller's thread, the appender's or the one that reads ends.
class ProfileService {
 public:
  using Answered = std::function<void(const Answer&)>;
  using BatchAnswered = std::function<void(std::vector<Answer>)>;
  // Bounds the time from a request to its answer.
  static constexpr std::int64_t kAnswerMsMax =
      EndsReader::kTellMsMax + AppenderOptions().delivery_timeout_ms;

  // `log` and `clock` outlive this. `process_bits` are 64 random bits: the first half of every
  // event id. Requires: Shape::IsValid of the partitions and one shard.
  ProfileService(EventLog& log, std::int32_t partitions, const Clock& clock,
                 std::uint64_t process_bits);

  // Gives it the appender of user-events, which it owns. Until then everything is refused with
  // kLogUnavailable. Requires: not called before.
  void Connect(std::unique_ptr<LogAppender> appender) { appender_.Connect(std::move(appender)); }

  // Appends the whole profile. Refusals: kLogUnavailable, kOverloaded.
  void Set(ProfileCommand command, Answered answered);
  // Appends them in order and leaves refused ones out. Gives one answer each, in order.
  void SetBatch(std::vector<ParsedProfile> commands, BatchAnswered answered);

  // Reads where kErasedStreams end, then appends the end of the account, which carries these ends
  // and stays.
  // Refusals: kLogUnavailable, also when one end is not known; kOverloaded.
  void Delete(UserId user, Answered answered, const CallerPtr& caller);

  // Appends that the account lives again. Refusals: as Set's.
  void Restore(UserId user, Answered answered);

  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms) { return appender_.Flush(timeout_ms); }

 private:
  void Append(UserId user, std::int64_t at_ms, decltype(ProfileEvent::what) what,
              Answered answered);

  const Clock& clock_;
  EventIds event_ids_;
  TopicAppender appender_;
  EndsReader ends_;  // last: it still appends
};

}  // namespace fanfold::writer
