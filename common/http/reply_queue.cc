#include "common/http/reply_queue.h"

#include <utility>

namespace fanfold::http {

ReplyQueue::ReplyQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

ReplyQueue::Ticket ReplyQueue::Push(AnswerTraits traits) {
  const std::scoped_lock lock(mutex_);
  slots_.push_back({traits, false, {}});
  return first_ + slots_.size() - 1;
}

void ReplyQueue::Answer(Ticket ticket, Response response) {
  const std::scoped_lock lock(mutex_);
  if (closed_) return;
  Slot& slot = slots_[ticket - first_];
  slot.response = std::move(response);
  slot.ready = true;
  if (wakes_ && ticket == first_) {
    wakes_ = false;
    wake_();
  }
}

void ReplyQueue::Hold() {
  const std::scoped_lock lock(mutex_);
  wakes_ = false;
}

std::size_t ReplyQueue::Take(std::vector<Answered>& answers) {
  const std::scoped_lock lock(mutex_);
  while (!slots_.empty() && slots_.front().ready) {
    answers.push_back({slots_.front().traits, std::move(slots_.front().response)});
    slots_.pop_front();
    ++first_;
  }
  wakes_ = true;
  return slots_.size();
}

std::size_t ReplyQueue::Depth() const {
  const std::scoped_lock lock(mutex_);
  return slots_.size();
}

void ReplyQueue::Close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  wakes_ = false;
  wake_ = nullptr;
  slots_.clear();
}

}  // namespace fanfold::http
