#include "common/http/reply_queue.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/http/problem.h"

namespace fanfold::http {
namespace {

// What an answer holds beside its body: its place, its headers.
constexpr std::size_t kAnswerBytes = 512;
// Not refused, whatever slow clients hold, where nothing before it is unsent: probes, and what
// tells that there is no room.
constexpr std::size_t kSureBytesMax = std::size_t{4} << 10;
// Of what one connection's answers may hold: while as much waits nothing more is asked for.
constexpr std::size_t kPartThatWaits = 128;
// A larger body is written a part at a time.
constexpr std::size_t kUncutBytesMax = std::size_t{128} << 10;
constexpr std::size_t kPartBytes = std::size_t{64} << 10;

// Whose request it was, and which pages may read what is said to it.
bool IsOfTheRequest(std::string_view header) {
  return header == "X-Request-Id" || header == "traceparent" || header == "Vary" ||
         header.starts_with("Access-Control-");
}

// A connection's thread writes the answer a part at a time: others have their turn between.
void CutIntoParts(Response& response) {
  response.length = response.body.size();
  response.stream = [body = std::make_shared<const std::string>(std::move(response.body)),
                     at = std::size_t{0}](const PartSink& sink) mutable {
    std::string part = body->substr(at, kPartBytes);
    at += part.size();
    sink({std::move(part), at == body->size()});
  };
  response.body.clear();
}

// In place of an answer for which there is no room: its other headers were of what it said.
Response Overloaded(Response answer, std::string_view detail) {
  Response told = Problem(problems::kOverloaded, detail);
  for (Header& header : answer.headers) {
    if (IsOfTheRequest(header.first)) told.headers.push_back(std::move(header));
  }
  told.held = std::move(answer.held);
  return told;
}

}  // namespace

ReplyQueue::ReplyQueue(std::function<void()> wake, std::size_t bytes_max, ByteBudget& all)
    : wake_(std::move(wake)), bytes_max_(bytes_max), all_(all) {}

ReplyQueue::Ticket ReplyQueue::Push(AnswerTraits traits) {
  const std::scoped_lock lock(mutex_);
  slots_.push_back({traits, false, {}, {}});
  return first_ + slots_.size() - 1;
}

void ReplyQueue::Answer(Ticket ticket, Response response) {
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  Slot& slot = slots_[ticket - first_];
  const std::size_t bytes = kAnswerBytes + response.body.size();
  const bool stays = response.tells_of_write || (ticket == first_ && bytes <= kSureBytesMax);
  if (!stays && bytes_ > 0 && bytes_ + bytes > bytes_max_) {
    response = Overloaded(std::move(response), "the answers before it are to be read first");
  } else if (slot.room = stays ? all_.TakeAnyway(bytes) : all_.Take(bytes); !slot.room) {
    response = Overloaded(std::move(response), "clients that read slowly hold too many answers");
  }
  if (!slot.room) slot.room = all_.TakeAnyway(kAnswerBytes + response.body.size());
  bytes_ += slot.room.get_deleter().bytes;
  const bool is_large = response.body.size() > kUncutBytesMax && !response.stream;
  if (is_large && !slot.traits.without_body) CutIntoParts(response);
  slot.response = std::move(response);
  slot.ready = true;
  if (ticket == first_) Wake();
}

void ReplyQueue::SetKeepAlive(Ticket ticket, bool keep_alive) {
  const std::scoped_lock lock(mutex_);
  if (!closed_ && ticket >= first_) slots_[ticket - first_].traits.keep_alive = keep_alive;
}

bool ReplyQueue::IsAnswered(Ticket ticket) const {
  const std::scoped_lock lock(mutex_);
  return closed_ || ticket < first_ || slots_[ticket - first_].ready;
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
    Slot& first = slots_.front();
    bytes_ -= first.room.get_deleter().bytes;
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
  if (slots_.size() >= requests_max) return false;
  return bytes_ == 0 || (bytes_ <= bytes_max_ / kPartThatWaits && !all_.IsShort());
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
