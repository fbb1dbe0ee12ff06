#include "writer/profiles/profile_service.h"

#include <utility>

#include "writer/append_answer.h"

namespace fanfold::writer {
namespace {

Answer AnswerOf(std::string event_id, const Result<Position>& appended) {
  return AnswerOfAppend(streams::kUsers, std::move(event_id), appended);
}

// Nothing was sent.
Answer AnswerWithoutEnds(const Error& why) {
  if (why.code == ErrorCode::kOverloaded) return Refuse(RefusalCode::kOverloaded, why.message);
  return Refuse(RefusalCode::kLogUnavailable,
                "the log does not say where it ends, which a deletion tells: " + why.message);
}

}  // namespace

ProfileService::ProfileService(EventLog& log, std::int32_t partitions, const Clock& clock,
                               std::uint64_t process_bits)
    : clock_(clock), event_ids_(process_bits), appender_(partitions), ends_(log, partitions) {}

void ProfileService::Set(UserId user, Profile profile, Answered answered) {
  Append(user, ProfileSet{std::move(profile)}, std::move(answered));
}

void ProfileService::Delete(UserId user, Answered answered, const CallerPtr& caller) {
  ends_.Ask(
      [this, user, answered = std::move(answered)](const Result<StreamEnds>& ends) {
        if (!ends) return answered(AnswerWithoutEnds(ends.error()));
        Append(user, UserDeleted{*ends}, answered);
      },
      caller);
}

void ProfileService::Append(UserId user, decltype(ProfileEvent::what) what, Answered answered) {
  const ProfileEvent event{event_ids_.Next(), user, clock_.NowMs(), std::move(what)};
  appender_.Append(
      user, EncodeProfileEvent(event),
      [event_id = event.event_id, answered = std::move(answered)](
          const Result<Position>& appended) { answered(AnswerOf(event_id, appended)); });
}

}  // namespace fanfold::writer
