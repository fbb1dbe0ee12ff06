#include "writer/profiles/profile_service.h"

#include <utility>

#include "writer/append_answer.h"
#include "writer/pending_batch.h"

namespace fanfold::writer {
namespace {

Answer AnswerOf(std::string event_id, const Result<Position>& appended) {
  return AnswerOfAppend(streams::kUsers, std::move(event_id), appended);
}

// Nothing was sent.
Answer AnswerWithoutEnds(const Error& why) {
  if (why.code == ErrorCode::kOverloaded) {
    return Refuse(RefusalCode::kOverloaded, "too many deletions wait for the log");
  }
  return RefuseForLog(
      "the log does not say where it ends, which a deletion tells; the process logs why", why);
}

}  // namespace

ProfileService::ProfileService(EventLog& log, std::int32_t partitions, const Clock& clock,
                               std::uint64_t process_bits)
    : clock_(clock), event_ids_(process_bits), appender_(partitions), ends_(log, partitions) {}

void ProfileService::Set(ProfileCommand command, Answered answered) {
  Append(command.user, command.at_ms.value_or(clock_.NowMs()),
         ProfileSet{std::move(command.profile)}, std::move(answered));
}

void ProfileService::SetBatch(std::vector<ParsedProfile> commands, BatchAnswered answered) {
  const auto batch = std::make_shared<PendingBatch<Answer>>(commands.size(), std::move(answered));
  for (std::size_t i = 0; i < commands.size(); ++i) {
    ParsedProfile& command = commands[i];
    if (!command) {
      batch->Answered(i, std::unexpected(std::move(command.error())));
      continue;
    }
    Set(*std::move(command), [batch, i](const Answer& answer) { batch->Answered(i, answer); });
  }
  batch->OneDone();
}

void ProfileService::Delete(UserId user, Answered answered, const CallerPtr& caller) {
  ends_.Ask(
      [this, user, answered = std::move(answered)](const Result<StreamEnds>& ends) {
        if (!ends) return answered(AnswerWithoutEnds(ends.error()));
        Append(user, clock_.NowMs(), UserDeleted{*ends, true}, answered);
      },
      caller);
}

void ProfileService::Restore(UserId user, Answered answered) {
  Append(user, clock_.NowMs(), UserRestored(), std::move(answered));
}

void ProfileService::Append(UserId user, std::int64_t at_ms, decltype(ProfileEvent::what) what,
                            Answered answered) {
  const ProfileEvent event{event_ids_.Next(), user, at_ms, std::move(what)};
  appender_.Append(
      user, EncodeProfileEvent(event),
      [event_id = event.event_id, answered = std::move(answered)](
          const Result<Position>& appended) { answered(AnswerOf(event_id, appended)); });
}

}  // namespace fanfold::writer
