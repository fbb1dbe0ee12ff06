#include "writer/outcome_waiters.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "common/base/check.h"

namespace fanfold::writer {

template <class Decided>
WaitersFor<Decided>::WaitersFor(const Clock& clock, std::size_t waiters_max)
    : clock_(clock), waiters_max_(waiters_max), waited_ms_(clock.SteadyMs()) {}

template <class Decided>
Status WaitersFor<Decided>::Register(const std::string& event_id, std::int64_t timeout_ms,
                                     Done done, CallerPtr caller) {
  auto place = caller ? caller->TakePlace() : nullptr;
  if (caller && !place) {
    return Fail(ErrorCode::kOverloaded, "too many requests of this connection wait for an outcome");
  }
  const std::int64_t deadline_ms = clock_.SteadyMs() + timeout_ms;
  const std::lock_guard lock(mutex_);
  if (waiters_.size() >= waiters_max_) {
    return Fail(ErrorCode::kOverloaded, "too many requests wait for an outcome");
  }
  const auto deadline = deadlines_.emplace(deadline_ms, event_id);
  waiters_.insert_or_assign(event_id,
                            Waiter{deadline, std::move(done), std::move(caller), std::move(place)});
  size_.store(waiters_.size());
  ++registered_;
  if (deadline == deadlines_.begin()) earlier_deadline_.notify_all();
  waited_ms_ = clock_.SteadyMs();
  one_came_.notify_all();
  return {};
}

template <class Decided>
bool WaitersFor<Decided>::AreGone() {
  const std::lock_guard lock(mutex_);
  if (!waiters_.empty()) waited_ms_ = clock_.SteadyMs();
  return clock_.SteadyMs() - waited_ms_ >= kReadOnMs;
}

template <class Decided>
bool WaitersFor<Decided>::WaitForOne(std::int64_t wait_ms) {
  std::unique_lock lock(mutex_);
  return one_came_.wait_for(lock, std::chrono::milliseconds(wait_ms),
                            [this] { return !waiters_.empty(); });
}

template <class Decided>
auto WaitersFor<Decided>::Take(const std::string& event_id) -> std::optional<Done> {
  const auto found = waiters_.find(event_id);
  if (found == waiters_.end()) return std::nullopt;
  Done done = std::move(found->second.done);
  deadlines_.erase(found->second.deadline);
  waiters_.erase(found);
  size_.store(waiters_.size());
  return done;
}

template <class Decided>
void WaitersFor<Decided>::Forget(const std::string& event_id) {
  std::optional<Done> dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  dropped = Take(event_id);
}

template <class Decided>
void WaitersFor<Decided>::Deliver(const Decided& outcome) {
  std::optional<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done = Take(outcome.event_id);
  }
  if (done) (*done)(outcome);
}

template <class Decided>
void WaitersFor<Decided>::ExpireDue() {
  const std::int64_t now_ms = clock_.SteadyMs();
  std::vector<Done> expired;
  {
    const std::lock_guard lock(mutex_);
    while (!deadlines_.empty() && deadlines_.begin()->first <= now_ms) {
      const std::string event_id = deadlines_.begin()->second;
      std::optional<Done> done = Take(event_id);
      FANFOLD_CHECK(done.has_value(), event_id);
      expired.push_back(std::move(*done));
    }
    if (now_ms >= sweep_ms_) {
      TakeGone(expired);
      sweep_ms_ = now_ms + kSweepMs;
    }
  }
  for (const Done& done : expired) done(std::nullopt);
}

template <class Decided>
void WaitersFor<Decided>::TakeGone(std::vector<Done>& to) {
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    Waiter& waiter = at->second;
    const bool gone = waiter.caller && waiter.caller->is_gone();
    if (gone) {
      to.push_back(std::move(waiter.done));
      deadlines_.erase(waiter.deadline);
    }
    at = gone ? waiters_.erase(at) : std::next(at);
  }
  size_.store(waiters_.size());
}

template <class Decided>
void WaitersFor<Decided>::ExpireUntil(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      WaitForDue(lock, stop);
    }
    ExpireDue();
  }
}

// Returns early when a nearer deadline comes in; the caller looks again.
template <class Decided>
void WaitersFor<Decided>::WaitForDue(std::unique_lock<std::mutex>& lock,
                                     const std::stop_token& stop) {
  if (deadlines_.empty()) {
    earlier_deadline_.wait(lock, stop, [this] { return !deadlines_.empty(); });
    return;
  }
  const std::int64_t first_ms = deadlines_.begin()->first;
  const std::int64_t wait_ms = std::min(first_ms - clock_.SteadyMs(), kSweepMs);
  if (wait_ms <= 0) return;
  earlier_deadline_.wait_for(lock, stop, std::chrono::milliseconds(wait_ms), [this, first_ms] {
    return !deadlines_.empty() && deadlines_.begin()->first < first_ms;
  });
}

template class WaitersFor<Outcome>;
template class WaitersFor<PostOutcome>;

}  // namespace fanfold::writer
