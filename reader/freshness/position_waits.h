// Requests that wait for a position, off every thread that works.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "common/base/caller.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "reader/freshness/position_gate.h"

namespace fanfold::reader {

// Thread-safe. `then` is called once, without the lock: from Recheck's caller or the destructor's.
class PositionWaits {
 public:
  static constexpr std::size_t kWaitsMax = 10'000;
  // Between two rechecks where somebody waits for lanes; else for the reader, which tells when it
  // moves.
  static constexpr std::int64_t kRecheckMs = 2;
  static constexpr std::int64_t kRecheckAtReaderMs = 10;

  using Then = std::function<void(bool reached)>;

  // Gate and clock outlive this object.
  PositionWaits(PositionGate& gate, const Clock& clock) : gate_(gate), clock_(clock) {}
  // Tells everybody still waiting that it was not reached.
  ~PositionWaits();
  PositionWaits(const PositionWaits&) = delete;
  PositionWaits& operator=(const PositionWaits&) = delete;

  // Calls `then` once: with true when the need is met, with false when the deadline, in steady ms,
  // has passed or the caller is gone first. Errors: kOverloaded, kWaitsMax wait already, or
  // Caller::kWaitsMax of this caller's; `then` is not called.
  [[nodiscard]] Status Add(PositionNeed need, std::int64_t deadline_ms, Then then,
                           CallerPtr caller = nullptr);

  // Settles what can be settled now.
  void Recheck();
  void RecheckIfAny() {
    if (size() != 0) Recheck();
  }
  // Rechecks now and then while somebody waits, until told to stop.
  void Run(const std::stop_token& stop);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Wait {
    PositionNeed need;
    bool is_watched = false;
    std::int64_t deadline_ms = 0;
    Then then;
    CallerPtr caller;                   // may be null
    std::shared_ptr<const void> place;  // among the caller's
  };

  // Watches the lanes that the wait needs, where the reader's position does not do.
  void Watch(Wait& wait);
  void Unwatch(const Wait& wait);

  PositionGate& gate_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any added_;
  std::vector<Wait> waits_;
  std::atomic<int> watched_ = 0;  // of them
};

}  // namespace fanfold::reader
