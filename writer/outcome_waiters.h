// Who waits for which event's outcome.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/caller.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/post/post_outcome.h"
#include "common/relation/event.h"

namespace fanfold::writer {

// Thread-safe. A waiter must be registered before its event is appended: the outcome may beat the
// ack. Nobody is called with a lock held, nor twice. Serves one stream, whose outcomes are
// `Decided`; outcome_waiters.cc makes those that exist.
template <class Decided>
class WaitersFor {
 public:
  // The outcome, or nothing when the time ran out. Must not block.
  using Done = std::function<void(const std::optional<Decided>&)>;

  static constexpr std::size_t kWaitersMaxDefault = 20'000;
  // How often callers that are gone are looked for.
  static constexpr std::int64_t kSweepMs = 100;

  // How long outcomes are read on when nobody waits any more.
  static constexpr std::int64_t kReadOnMs = 10'000;

  // `clock` outlives this.
  WaitersFor(const Clock& clock, std::size_t waiters_max);

  // Calls `done` at most once: with the outcome, or with nothing when timeout_ms has run out or the
  // caller is gone. Errors: kOverloaded, waiters_max wait already, or Caller::kWaitsMax of this
  // caller's; `done` is not called.
  [[nodiscard]] Status Register(const std::string& event_id, std::int64_t timeout_ms, Done done,
                                CallerPtr caller = nullptr);
  // Drops a waiter uncalled, if it still waits.
  void Forget(const std::string& event_id);
  void Deliver(const Decided& outcome);
  // Calls waiters whose time has run out, and, every kSweepMs, those whose caller is gone.
  void ExpireDue();
  // Calls each waiter when its time runs out; blocks until stopped. One thread runs it.
  void ExpireUntil(const std::stop_token& stop);

  [[nodiscard]] std::size_t size() const noexcept { return size_.load(); }
  // How many have ever been registered.
  [[nodiscard]] std::uint64_t registered() const noexcept { return registered_.load(); }

  // Has nobody waited for kReadOnMs? Nobody's outcome need be read then.
  [[nodiscard]] bool AreGone();
  // Blocks until somebody waits, at most wait_ms; false: nobody does.
  [[nodiscard]] bool WaitForOne(std::int64_t wait_ms);

 private:
  using Deadlines = std::multimap<std::int64_t, std::string>;
  struct Waiter {
    Deadlines::iterator deadline;
    Done done;
    CallerPtr caller;                   // may be null
    std::shared_ptr<const void> place;  // among the caller's
  };

  // Requires: mutex_ held. Nothing when nobody waits for it.
  [[nodiscard]] std::optional<Done> Take(const std::string& event_id);
  // Requires: mutex_ held.
  void TakeGone(std::vector<Done>& to);
  void WaitForDue(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  const Clock& clock_;
  const std::size_t waiters_max_;
  std::int64_t waited_ms_;  // when somebody last did, steady
  std::mutex mutex_;
  std::condition_variable_any earlier_deadline_;
  std::condition_variable one_came_;
  std::unordered_map<std::string, Waiter> waiters_;
  Deadlines deadlines_;
  std::int64_t sweep_ms_ = 0;  // when to look for callers that are gone
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> registered_{0};
};

using OutcomeWaiters = WaitersFor<Outcome>;
using PostWaiters = WaitersFor<PostOutcome>;

}  // namespace fanfold::writer
