#include "common/kafka/in_flight.h"

#include <chrono>
#include <utility>

namespace fanfold::kafka {

std::optional<InFlight::Ticket> InFlight::Add(LogAppender::Done& done) {
  const std::lock_guard lock(mutex_);
  Ticket ticket = 0;
  if (!free_.empty()) {
    ticket = free_.back();
    free_.pop_back();
  } else if (slots_.size() < records_max_) {
    slots_.emplace_back();
    ticket = slots_.size();
  } else {
    return std::nullopt;
  }
  slots_[ticket - 1] = Slot{std::move(done), round_, true};
  ++left_[round_];
  return ticket;
}

LogAppender::Done InFlight::Withdraw(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  LogAppender::Done done = std::move(slots_[ticket - 1].done);
  Free(ticket);
  return done;
}

void InFlight::CallBack(Ticket ticket, Result<Position> result) {
  LogAppender::Done done;
  {
    const std::lock_guard lock(mutex_);
    done = std::move(slots_[ticket - 1].done);
  }
  done(std::move(result));
  const std::lock_guard lock(mutex_);
  Free(ticket);
}

void InFlight::CallBackAll(const Error& error) {
  std::vector<Ticket> used;
  {
    const std::lock_guard lock(mutex_);
    for (Ticket ticket = 1; ticket <= slots_.size(); ++ticket) {
      if (slots_[ticket - 1].used) used.push_back(ticket);
    }
  }
  for (const Ticket ticket : used) CallBack(ticket, std::unexpected(error));
}

bool InFlight::Empty() const {
  const std::lock_guard lock(mutex_);
  return left_.empty();
}

bool InFlight::WaitForAll(std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = round_++;
  return round_finished_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this, last] {
    return left_.empty() || left_.begin()->first > last;
  });
}

void InFlight::Free(Ticket ticket) {
  Slot& slot = slots_[ticket - 1];
  slot.used = false;
  free_.push_back(ticket);
  const auto left = left_.find(slot.round);
  if (--left->second > 0) return;
  left_.erase(left);
  round_finished_.notify_all();
}

}  // namespace fanfold::kafka
