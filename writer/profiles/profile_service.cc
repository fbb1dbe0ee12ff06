#include "writer/profiles/profile_service.h"

#include <utility>

#include "common/base/check.h"
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
    : partitions_(partitions), clock_(clock), event_ids_(process_bits), ends_(log, partitions) {}

void ProfileService::Connect(std::unique_ptr<LogAppender> appender) {
  FANFOLD_CHECK(!connected_.load(), "connected twice");
  appender_ = std::move(appender);
  connected_.store(true, std::memory_order_release);
}

bool ProfileService::Flush(std::int64_t timeout_ms) {
  return !connected_.load(std::memory_order_acquire) || appender_->Flush(timeout_ms);
}

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
  if (!connected_.load(std::memory_order_acquire)) {
    return answered(
        AnswerOf({}, Fail(ErrorCode::kUnavailable, "it has not been reached since the start")));
  }
  const ProfileEvent event{event_ids_.Next(), user, clock_.NowMs(), std::move(what)};
  appender_->Append(
      PartitionOf(user, partitions_), ToString(user), EncodeProfileEvent(event),
      [event_id = event.event_id, answered = std::move(answered)](
          const Result<Position>& appended) { answered(AnswerOf(event_id, appended)); });
}

}  // namespace fanfold::writer
