// Inside common/kafka only.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "common/ports/event_log.h"

namespace fanfold::kafka {

// The callbacks of records on their way, each called once. Thread-safe. Only WaitForAll blocks, and
// callbacks are called without a lock held.
class InFlight {
 public:
  // Names a callback until it has been called or withdrawn; never 0.
  using Ticket = std::size_t;

  explicit InFlight(std::size_t records_max) : records_max_(records_max) {}

  // Nothing, and `done` is left as it was, when records_max are on their way.
  [[nodiscard]] std::optional<Ticket> Add(LogAppender::Done& done);
  // Takes the callback back uncalled.
  [[nodiscard]] LogAppender::Done Withdraw(Ticket ticket);
  void CallBack(Ticket ticket, Result<Position> result);
  // Calls back whatever is left. Requires: no other thread calls back.
  void CallBackAll(const Error& error);

  [[nodiscard]] bool Empty() const;
  // Waits until the callbacks of everything added before have returned; false when timeout_ms ran
  // out.
  [[nodiscard]] bool WaitForAll(std::int64_t timeout_ms);

 private:
  struct Slot {
    LogAppender::Done done;
    std::uint64_t round = 0;
    bool used = false;
  };

  // Requires: mutex_ is held.
  void Free(Ticket ticket);

  const std::size_t records_max_;
  mutable std::mutex mutex_;
  std::condition_variable round_finished_;
  std::vector<Slot> slots_;
  std::vector<Ticket> free_;
  // How many are left of each round. A wait ends a round, so that it need not wait for what is
  // added after it.
  std::map<std::uint64_t, std::size_t> left_;
  std::uint64_t round_ = 0;
};

}  // namespace fanfold::kafka
