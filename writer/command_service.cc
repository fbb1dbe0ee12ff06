#include "writer/command_service.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "common/relation/codec.h"
#include "writer/append_answer.h"
#include "writer/command_policy.h"
#include "writer/pending_batch.h"
#include "writer/pending_decision.h"

namespace fanfold::writer {
CommandService::CommandService(OutcomeWaiters& waiters, const Clock& clock,
                               std::uint64_t process_bits)
    : waiters_(waiters), clock_(clock), event_ids_(process_bits) {}

void CommandService::Connect(std::int32_t partitions, std::unique_ptr<LogAppender> appender) {
  FANFOLD_CHECK(partitions_.load() == 0, "connected twice");
  appender_ = std::move(appender);
  partitions_.store(partitions, std::memory_order_release);
}

bool CommandService::Flush(std::int64_t timeout_ms) {
  return partitions_.load(std::memory_order_acquire) == 0 || appender_->Flush(timeout_ms);
}

Event CommandService::EventOf(const Command& command, std::int64_t now_ms) {
  Event event;
  event.event_id = command.event_id.empty() ? event_ids_.Next() : command.event_id;
  event.type = command.type;
  event.subject = command.subject;
  event.object = command.object;
  event.at_ms = command.at_ms.value_or(now_ms);
  event.by = command.by;
  event.if_version = command.if_version;
  event.replay_of = command.replay_of;
  event.trace = command.trace;
  return event;
}

void CommandService::Append(const Event& event, LogAppender::Done done) {
  const std::int32_t partitions = partitions_.load(std::memory_order_acquire);
  if (partitions == 0) {
    return done(Fail(ErrorCode::kUnavailable, "it has not been reached since the start"));
  }
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, event.subject.value);
  const std::string_view key(digits, static_cast<std::size_t>(end - digits));
  thread_local std::string value;
  value.clear();
  AppendEvent(value, event);
  appender_->Append(PartitionOf(event.subject, partitions), key, value, std::move(done));
}

void CommandService::Submit(const Command& command, std::optional<std::int64_t> wait_timeout_ms,
                            Answered answered, const CallerPtr& caller) {
  if (auto refused = RefuseCommand(command)) return answered(std::unexpected(std::move(*refused)));
  const Event event = EventOf(command, clock_.NowMs());
  if (wait_timeout_ms) {
    return SubmitAndWait(event, *wait_timeout_ms, answered, caller);
  }
  Append(event, [event_id = event.event_id,
                 answered = std::move(answered)](const Result<Position>& appended) {
    answered(AnswerOfAppend(streams::kRelations, event_id, appended));
  });
}

void CommandService::SubmitAndWait(const Event& event, std::int64_t wait_timeout_ms,
                                   const Answered& answered, const CallerPtr& caller) {
  const auto pending = std::make_shared<PendingDecision>(event.event_id, answered);
  const Status registered = waiters_.Register(
      event.event_id, wait_timeout_ms,
      [pending](const std::optional<Outcome>& outcome) { pending->Decided(outcome); }, caller);
  if (!registered) {
    return answered(Refuse(RefusalCode::kOverloaded, registered.error().message));
  }
  Append(event, [this, pending, event_id = event.event_id](const Result<Position>& appended) {
    if (!appended) waiters_.Forget(event_id);
    pending->Acked(appended);
  });
}

void CommandService::SubmitBatch(std::vector<ParsedCommand> commands, BatchAnswered answered) {
  const auto batch = std::make_shared<PendingBatch<Answer>>(commands.size(), std::move(answered));
  const std::int64_t now_ms = clock_.NowMs();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (!commands[i]) {
      batch->Answered(i, std::unexpected(std::move(commands[i].error())));
      continue;
    }
    if (auto refused = RefuseCommand(*commands[i])) {
      batch->Answered(i, std::unexpected(std::move(*refused)));
      continue;
    }
    const Event event = EventOf(*commands[i], now_ms);
    batch->answers[i] = Accepted{Logged{event.event_id, {}}, std::nullopt};
    Append(event, [batch, i](const Result<Position>& appended) {
      std::string event_id = std::move(batch->answers[i]->logged.event_id);
      batch->Answered(i, AnswerOfAppend(streams::kRelations, std::move(event_id), appended));
    });
  }
  batch->OneDone();
}

}  // namespace fanfold::writer
