// Commands to events in the log, and what became of them. Knows nothing of HTTP.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/caller.h"
#include "common/base/clock.h"
#include "common/ports/event_log.h"
#include "common/stream/event_ids.h"
#include "common/stream/slot.h"
#include "writer/command.h"
#include "writer/outcome_waiters.h"

namespace fanfold::writer {

// Thread-safe. Nothing blocks. Each answer comes exactly once, from the caller's thread or from one
// of the appender's or the waiters'; the appender's delivery timeout and the wait bound it.
class CommandService {
 public:
  using Answered = std::function<void(Answer)>;
  using BatchAnswered = std::function<void(std::vector<Answer>)>;

  // `waiters` and `clock` outlive this. `process_bits` are 64 random bits: the first half of every
  // event id.
  CommandService(OutcomeWaiters& waiters, const Clock& clock, std::uint64_t process_bits);

  // Gives it the deployment's partitions and the event topic's appender, which it owns. Until
  // then every command is refused with kLogUnavailable. Requires: not called before;
  // Shape::IsValid of the partitions and one shard.
  void Connect(std::int32_t partitions, std::unique_ptr<LogAppender> appender);

  // Appends the command's event. With `wait_timeout_ms`: answers when the outcome is there or, once
  // the log has the event, when the time has run out.
  // Refusals: those of command_policy.h, of a rejecting outcome, kLogUnavailable, kOverloaded.
  void Submit(const Command& command, std::optional<std::int64_t> wait_timeout_ms,
              Answered answered, const CallerPtr& caller = nullptr);

  // Appends the events in order and leaves refused commands out. Gives one answer each, in order; a
  // command that came as a refusal is answered with it.
  void SubmitBatch(std::vector<ParsedCommand> commands, BatchAnswered answered);

  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms);

 private:
  [[nodiscard]] Event EventOf(const Command& command, std::int64_t now_ms);
  void Append(const Event& event, LogAppender::Done done);
  void SubmitAndWait(const Event& event, std::int64_t wait_timeout_ms, const Answered& answered,
                     const CallerPtr& caller);

  OutcomeWaiters& waiters_;
  const Clock& clock_;
  EventIds event_ids_;
  std::atomic<std::int32_t> partitions_{0};  // 0: not connected, appender_ must not be looked at
  std::unique_ptr<LogAppender> appender_;    // last: its destructor still calls back
};

}  // namespace fanfold::writer
