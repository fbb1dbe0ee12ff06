#include "writer/append_answer.h"

#include <utility>

namespace fanfold::writer {

Answer AnswerOfAppend(Stream stream, std::string event_id, const Result<Position>& appended) {
  if (appended) return Accepted{Logged{std::move(event_id), *appended, stream}, std::nullopt};
  const Error& error = appended.error();
  if (error.code == ErrorCode::kOverloaded) {
    return Refuse(RefusalCode::kOverloaded, "too many events are on their way to the log");
  }
  if (error.code == ErrorCode::kUnknown) {
    return Refuse(
        RefusalCode::kLogUnavailable,
        "the event is not known to be in the log; send the same request again: " + error.message);
  }
  return Refuse(RefusalCode::kLogUnavailable, "the log did not take the event: " + error.message);
}

}  // namespace fanfold::writer
