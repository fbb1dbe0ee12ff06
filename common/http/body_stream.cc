#include "common/http/body_stream.h"

#include <exception>
#include <utility>

#include "common/base/logging.h"
#include "common/http/response_writer.h"

namespace fanfold::http {

void BodyStream::Begin(Answered& answer, std::shared_ptr<ReplyQueue> queue) {
  queue_ = std::move(queue);
  source_ = std::move(answer.response.stream);
  has_length_ = answer.response.length.has_value();
  chunked_ = !has_length_ && !answer.traits.is_http_1_0;
  ends_with_connection_ = !has_length_ && answer.traits.is_http_1_0;
  owed_ = false;
}

BodyStream::Step BodyStream::Append(std::string& out) {
  BodyPart part;
  switch (queue_->TakePart(part)) {
    case ReplyQueue::PartState::kOwed:
      if (!owed_) Ask();
      return Step::kOwed;
    case ReplyQueue::PartState::kFailed:
      return Step::kFailed;
    case ReplyQueue::PartState::kTaken:
      break;
  }
  owed_ = false;
  AppendPart(part.bytes, chunked_, out);
  if (!part.last) {
    if (part.bytes.empty()) Ask();
    return Step::kPart;
  }
  AppendEnd(chunked_, out);
  Drop();
  return Step::kEnded;
}

// A source that throws has dropped its sink, which says that it failed.
void BodyStream::Ask() {
  owed_ = true;
  PartSink sink(
      [queue = queue_](std::optional<BodyPart> part) { queue->AddPart(std::move(part)); });
  try {
    source_(std::move(sink));
  } catch (const std::exception& error) {
    LogError("the source of a body threw", {{"why", error.what()}});
  } catch (...) {
    LogError("the source of a body threw");
  }
}

}  // namespace fanfold::http
