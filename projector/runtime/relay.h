// Publishes what was decided: in order, without gaps, from outbox rows that are committed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/ports/outcome_cut.h"
#include "common/stream/ids.h"

namespace fanfold::projector {

// How far the outcomes of one taken lane have been acked. Written by the appender's thread, read
// by the lane's owner.
class RelayFlight {
 public:
  struct Published {
    Offset event;     // every outcome of an event below this one is in the topic
    Offset outcome;   // outcomes of later events stand at or after this
    RecordMark last;  // the last of an outbox row that is there
  };
  // Outcomes of events below `decided_before` may be on their way from an earlier owner too, and
  // land among ours.
  RelayFlight(const Published& published, Offset decided_before) noexcept
      : decided_before_(decided_before), published_(published) {}

  [[nodiscard]] Published published() const {
    const std::scoped_lock lock(mutex_);
    return published_;
  }
  // An append failed, and no later outcome of the lane gets into the topic, or the topic is not the
  // one that was recovered from. The lane has to be taken again.
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  // It failed for good: the log will never take that outcome.
  [[nodiscard]] bool refused() const noexcept { return refused_.load(std::memory_order_acquire); }

 private:
  friend class Relay;
  // `digest`: of that record; 0: it was not the last of its row.
  void Acked(const Result<Position>& position, std::uint64_t digest);

  const Offset decided_before_;
  mutable std::mutex mutex_;
  Published published_;
  std::atomic<bool> refused_{false};
  std::atomic<bool> failed_{false};
};

// One worker's. Its own thread calls; acks arrive on the appender's.
class Relay {
 public:
  // `cut`: the outcomes are published cut.
  explicit Relay(const OutcomeCut* cut = nullptr) noexcept : cut_(cut) {}

  // Outcomes in flight above which the worker waits before it decides more.
  static constexpr std::size_t kOutcomesInFlightMax = 50'000;

  // Publishes through this from now on. Requires: made with stop_on_failure; Stop before, if there
  // was another.
  void Use(std::unique_ptr<LogAppender> appender);
  // Lets the appender go, which calls back all it still owes. Blocks for as long as that takes.
  void Stop() { appender_.reset(); }
  [[nodiscard]] bool stands() const noexcept { return appender_ != nullptr; }
  // An append failed: nothing more gets through, another appender is needed.
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }

  // A flight for a lane just recovered; arguments as RelayFlight's. Lives as long as the relay,
  // since acks may come late.
  [[nodiscard]] RelayFlight& Open(const RelayFlight::Published& published, Offset decided_before);

  // Appends the row's outcomes of events at or above `from`. False when the row is not well-formed.
  // Requires: stands.
  [[nodiscard]] bool Publish(RelayFlight& flight, const OutboxRow& row, Offset from);

  // Waits until everything published so far has been called back; false when timeout_ms ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms);

  [[nodiscard]] bool Full() const noexcept { return InFlight() >= kOutcomesInFlightMax; }
  [[nodiscard]] std::size_t InFlight() const noexcept {
    return in_flight_.load(std::memory_order_acquire);
  }

 private:
  const OutcomeCut* const cut_;
  std::vector<std::unique_ptr<RelayFlight>> flights_;
  std::atomic<std::size_t> in_flight_{0};
  std::atomic<bool> failed_{false};
  std::unique_ptr<LogAppender> appender_;  // last: calls back into the others until it is gone
};

}  // namespace fanfold::projector
