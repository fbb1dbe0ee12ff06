#include "common/http/reply_queue.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/http/problem.h"

namespace fanfold::http {
namespace {

// Smaller ones are not counted: they are answered whatever slow clients hold.
constexpr std::size_t kLargeReplyBytesMin = std::size_t{64} << 10;

// Whose request it was, and which pages may read what is said to it.
bool IsOfTheRequest(std::string_view header) {
  return header == "X-Request-Id" || header == "traceparent" || header == "Vary" ||
         header.starts_with("Access-Control-");
}

// In place of an answer for which there is no room: its other headers were of what it said.
Response Overloaded(Response answer, std::string_view detail) {
  Response told = Problem(problems::kOverloaded, detail);
  for (Header& header : answer.headers) {
    if (IsOfTheRequest(header.first)) told.headers.push_back(std::move(header));
  }
  return told;
}

}  // namespace

ReplyQueue::ReplyQueue(std::function<void()> wake, std::size_t bytes_max, LargeBodies& large)
    : wake_(std::move(wake)), bytes_max_(bytes_max), large_(large) {}

ReplyQueue::Ticket ReplyQueue::Push(AnswerTraits traits) {
  const std::scoped_lock lock(mutex_);
  slots_.push_back({traits, false, {}, {}});
  return first_ + slots_.size() - 1;
}

void ReplyQueue::Answer(Ticket ticket, Response response) {
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  Slot& slot = slots_[ticket - first_];
  const bool stays = response.tells_of_write;
  if (!stays && bytes_ > 0 && bytes_ + response.body.size() > bytes_max_) {
    response = Overloaded(std::move(response), "the answers before it are to be read first");
  }
  if (response.body.size() >= kLargeReplyBytesMin) {
    slot.room = large_.Take(response.body.size());
    if (!slot.room && !stays) {
      response = Overloaded(std::move(response), "clients that read slowly hold too many answers");
    }
  }
  bytes_ += response.body.size();
  slot.response = std::move(response);
  slot.ready = true;
  if (ticket == first_) Wake();
}

void ReplyQueue::AddPart(std::optional<BodyPart> part) {
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  part_failed_ = !part;
  part_ = std::move(part);
  Wake();
}

ReplyQueue::PartState ReplyQueue::TakePart(BodyPart& part) {
  const std::scoped_lock lock(mutex_);
  wakes_ = true;
  if (part_failed_) return PartState::kFailed;
  if (!part_) return PartState::kOwed;
  part = *std::move(part_);
  part_.reset();
  if (part.last) {
    streams_ = false;
    Pop();
  }
  return PartState::kTaken;
}

void ReplyQueue::Hold() {
  const std::scoped_lock lock(mutex_);
  wakes_ = false;
}

std::size_t ReplyQueue::Take(std::vector<Answered>& answers) {
  const std::scoped_lock lock(mutex_);
  while (!streams_ && !slots_.empty() && slots_.front().ready) {
    bytes_ -= slots_.front().response.body.size();
    Slot& first = slots_.front();
    answers.push_back({first.traits, std::move(first.response), std::move(first.room)});
    streams_ = IsStreamed(answers.back());
    if (!streams_) Pop();
  }
  wakes_ = true;
  return slots_.size();
}

std::size_t ReplyQueue::Depth() const {
  const std::scoped_lock lock(mutex_);
  return slots_.size();
}

bool ReplyQueue::HasRoom(std::size_t requests_max) const {
  const std::scoped_lock lock(mutex_);
  return slots_.size() < requests_max && bytes_ <= bytes_max_ / 16;
}

void ReplyQueue::Close() {
  std::deque<Slot> dropped;  // outside the lock: sources that go may drop sinks, which come back
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  wakes_ = false;
  wake_ = nullptr;
  part_.reset();
  dropped.swap(slots_);
}

void ReplyQueue::Wake() {
  if (!wakes_) return;
  wakes_ = false;
  wake_();
}

void ReplyQueue::Pop() {
  slots_.pop_front();
  ++first_;
}

}  // namespace fanfold::http
