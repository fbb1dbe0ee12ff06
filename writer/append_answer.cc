#include "writer/append_answer.h"

#include <utility>

#include "common/base/cause_filter.h"
#include "common/base/clock.h"

namespace fanfold::writer {

Answer RefuseForLog(std::string_view detail, const Error& why) {
  static CauseFilter causes;
  LogCause(causes, LogLevel::kWarning, "the log fails requests", why.message,
           SystemClock().SteadyMs());
  return Refuse(RefusalCode::kLogUnavailable, std::string(detail));
}

Answer AnswerOfAppend(Stream stream, std::string event_id, const Result<Position>& appended) {
  if (appended) return Accepted{Logged{std::move(event_id), *appended, stream}, std::nullopt};
  const Error& error = appended.error();
  if (error.code == ErrorCode::kOverloaded) {
    return Refuse(RefusalCode::kOverloaded, "too many events are on their way to the log");
  }
  if (error.code == ErrorCode::kUnknown) {
    return RefuseForLog("the event is not known to be in the log; send the same request again",
                        error);
  }
  return RefuseForLog("the log did not take the event; the process logs why", error);
}

}  // namespace fanfold::writer
