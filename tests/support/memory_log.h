// The EventLog port in memory, for unit tests: one process, appends acked when told to. One thread
// at a time, but that readers and bounds may be on others than Put.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/ports/event_log.h"
#include "tests/support/manual_clock.h"

namespace fanfold::testing {

struct MemoryRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::int64_t appended_ms = 1'700'000'000'000;
};

struct MemoryTopic {
  std::vector<std::vector<MemoryRecord>> partitions;
  std::vector<Offset> begins;  // by partition
};

class MemoryLog final : public EventLog {
 public:
  explicit MemoryLog(std::int32_t partitions);

  // Beside any appender, as a foreign producer would.
  void Put(Topic topic, Partition partition, std::optional<std::string> key,
           std::optional<std::string> value);
  [[nodiscard]] std::vector<MemoryRecord>& Records(Topic topic, Partition partition);

  // Nobody can read it, reach it, nor learn where it ends. Thread-safe.
  void BeAway(bool away) { away_ = away; }
  [[nodiscard]] bool is_away() const noexcept { return away_; }
  // How often it was polled while it was away.
  [[nodiscard]] int polls_in_vain() const noexcept { return polls_in_vain_; }
  // The next so many polls bring nothing, whoever polls.
  void BeSilent(int polls) { silent_polls_ = polls; }
  // How often it was asked, while it was away, where it ends: each would have waited.
  [[nodiscard]] int waits() const noexcept { return waits_; }

  // From now on appended_ms counts the records of all topics.
  void CountAppends() { appends_ = 0; }

  // Each question to the broker takes so long, by this clock; bounds are two.
  void AnswerAfter(std::int64_t round_trip_ms, ManualClock& clock) {
    round_trip_ms_ = round_trip_ms;
    clock_ = &clock;
  }

  // Appends are kept unacked, and out of the topic, until Deliver.
  void HoldAppends(bool hold) { hold_ = hold; }
  // The next so many are refused at once.
  void RefuseAppends(int count) { refuse_ = count; }
  // A record that keeps its offset and is never read, as compaction leaves them.
  void Lose(Topic topic, Partition partition, Offset offset) {
    lost_.insert({topic, partition, offset});
  }
  [[nodiscard]] bool IsLost(Topic topic, Partition partition, Offset offset) const {
    return lost_.contains({topic, partition, offset});
  }
  // The partition begins there from now on, as retention leaves it.
  void Cut(Topic topic, Partition partition, Offset begin);
  [[nodiscard]] int readers_opened() const noexcept { return readers_opened_; }
  // None of more than so many bytes is ever taken.
  void RefuseAbove(std::size_t bytes) { record_bytes_max_ = bytes; }
  void Deliver() { Deliver(held_.size()); }
  void Deliver(std::size_t count);
  void FailHeld();

  [[nodiscard]] Result<std::int32_t> PartitionCount(Topic topic) override;
  [[nodiscard]] std::vector<Result<LogBounds>> BoundsOf(
      Topic topic, std::span<const Partition> partitions) override;
  using EventLog::NewReader;
  [[nodiscard]] Result<std::unique_ptr<LogReader>> NewReader(Topic topic,
                                                             const ReaderOptions& options) override;
  [[nodiscard]] Result<std::unique_ptr<LogAppender>> NewAppender(
      Topic topic, const AppenderOptions& options) override;
  [[nodiscard]] Result<std::string> Id() override { return std::string("memory"); }
  [[nodiscard]] Status Ping(std::int64_t timeout_ms) override;

 private:
  friend class MemoryAppender;
  friend class MemoryLogReader;
  struct Held {
    Topic topic;
    Partition partition;
    MemoryRecord record;
    LogAppender::Done done;
  };
  void Append(Held held);
  [[nodiscard]] Offset& BeginOf(Topic topic, Partition partition);
  void Keep(Topic topic, Partition partition, MemoryRecord record);

  std::mutex mutex_;  // of the records
  std::int32_t partitions_;
  PerTopic<MemoryTopic> topics_;
  std::deque<Held> held_;
  std::atomic<bool> away_ = false;
  std::atomic<int> silent_polls_ = 0;
  std::atomic<int> polls_in_vain_ = 0;
  std::set<std::tuple<Topic, Partition, Offset>> lost_;
  std::atomic<int> waits_ = 0;
  std::atomic<int> readers_opened_ = 0;
  std::int64_t round_trip_ms_ = 0;
  ManualClock* clock_ = nullptr;
  std::optional<std::int64_t> appends_;
  bool hold_ = false;
  int refuse_ = 0;
  std::size_t record_bytes_max_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace fanfold::testing
