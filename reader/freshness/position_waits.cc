#include "reader/freshness/position_waits.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace fanfold::reader {

PositionWaits::~PositionWaits() {
  for (Wait& wait : waits_) {
    Unwatch(wait);
    wait.then(false);
  }
}

Status PositionWaits::Add(PositionNeed need, std::int64_t deadline_ms, Then then,
                          CallerPtr caller) {
  auto place = caller ? caller->TakePlace() : nullptr;
  if (caller && !place) {
    return Fail(ErrorCode::kOverloaded, "too many requests of this connection wait for a position");
  }
  const std::scoped_lock lock(mutex_);
  if (waits_.size() >= kWaitsMax) {
    return Fail(ErrorCode::kOverloaded, "too many requests wait for a position");
  }
  waits_.push_back(
      {std::move(need), false, deadline_ms, std::move(then), std::move(caller), std::move(place)});
  Watch(waits_.back());
  added_.notify_one();
  return {};
}

void PositionWaits::Recheck() {
  std::vector<Wait> settled;
  {
    const std::scoped_lock lock(mutex_);
    const std::int64_t now_ms = clock_.SteadyMs();
    // The reader's position may have been given up since.
    for (Wait& wait : waits_) Watch(wait);
    const auto over = std::ranges::stable_partition(waits_, [&](const Wait& wait) {
      const bool is_wanted = !wait.caller || !wait.caller->is_gone();
      return is_wanted && now_ms < wait.deadline_ms && !gate_.Reached(wait.need);
    });
    settled.assign(std::move_iterator(over.begin()), std::move_iterator(over.end()));
    waits_.erase(over.begin(), over.end());
  }
  for (Wait& wait : settled) {
    Unwatch(wait);
    wait.place.reset();  // what comes next may wait, too
    wait.then(gate_.Reached(wait.need));
  }
}

void PositionWaits::Watch(Wait& wait) {
  if (wait.is_watched) return;
  wait.is_watched = gate_.Watch(wait.need);
  if (wait.is_watched) ++watched_;
}

void PositionWaits::Unwatch(const Wait& wait) {
  if (!wait.is_watched) return;
  gate_.Unwatch(wait.need);
  --watched_;
}

void PositionWaits::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      if (!added_.wait(lock, stop, [this] { return !waits_.empty(); })) return;
      const std::int64_t wait_ms = watched_ > 0 ? kRecheckMs : kRecheckAtReaderMs;
      added_.wait_for(lock, stop, std::chrono::milliseconds(wait_ms), [] { return false; });
    }
    Recheck();
  }
}

std::size_t PositionWaits::size() const {
  const std::scoped_lock lock(mutex_);
  return waits_.size();
}

}  // namespace fanfold::reader
