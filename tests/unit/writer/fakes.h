// A clock, a log and an appender that do as they are told, and what passes through them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/ports/event_log.h"
#include "common/relation/codec.h"
#include "writer/command.h"

namespace fanfold::writer {

inline Command FollowOf(std::uint64_t subject, std::uint64_t object) {
  Command command;
  command.subject = UserId(subject);
  command.object = UserId(object);
  return command;
}

inline Outcome OutcomeOf(const std::string& event_id) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kFollowed;
  outcome.position = {Partition(2), Offset(7)};
  outcome.event_id = event_id;
  outcome.subject = UserId(1);
  outcome.object = UserId(2);
  return outcome;
}

class FakeClock final : public Clock {
 public:
  std::int64_t now_ms = 1'700'000'000'000;
  std::int64_t steady_ms = 5;
  [[nodiscard]] std::int64_t NowMs() const noexcept override { return now_ms; }
  [[nodiscard]] std::int64_t SteadyMs() const noexcept override { return steady_ms; }
};

// What was appended, and the acks that are still owed. One thread.
struct FakeTopic {
  struct Record {
    Partition partition;
    std::string key;
    Event event;
  };
  std::vector<Record> records;
  std::deque<LogAppender::Done> held;
  bool hold_acks = false;
  // Called for each record before its ack; an error is the ack, and the record is not kept.
  std::function<std::optional<Error>(const Event&)> on_append;
  std::map<std::int32_t, std::int64_t> ends;

  [[nodiscard]] Position Next(Partition partition) {
    return {partition, Offset(ends[partition.value]++)};
  }
};

class FakeAppender final : public LogAppender {
 public:
  explicit FakeAppender(FakeTopic& topic) : topic_(topic) {}
  ~FakeAppender() override {
    const Result<Position> stopped = Fail(ErrorCode::kUnknown, "the appender stopped");
    for (Done& done : topic_.held) done(stopped);
  }

  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    const Event event = DecodeEvent(value).value();
    if (topic_.on_append) {
      if (auto error = topic_.on_append(event)) return done(std::unexpected(std::move(*error)));
    }
    topic_.records.push_back({partition, std::string(key), event});
    if (!topic_.hold_acks) return done(topic_.Next(partition));
    topic_.held.push_back([this, partition, done](Result<Position> failed) {
      done(failed ? Result<Position>(topic_.Next(partition)) : failed);
    });
  }

  [[nodiscard]] bool Flush(std::int64_t) override { return topic_.held.empty(); }

 private:
  FakeTopic& topic_;
};

// Calls back what is held, in order.
inline void ReleaseAcks(FakeTopic& topic, const Status& status = {}) {
  for (LogAppender::Done& done : std::exchange(topic.held, {})) {
    done(status ? Result<Position>(Position{}) : std::unexpected(status.error()));
  }
}

// A log of outcomes that a test feeds. Thread-safe.
class FakeLog final : public EventLog {
 public:
  void SetAway(bool away) {
    const std::lock_guard lock(mutex_);
    away_ = away;
    changed_.notify_all();
  }

  void AddOutcome(const Outcome& outcome) {
    AddValue(outcome.position.partition, EncodeOutcome(outcome));
  }
  void AddValue(Partition partition, std::string value) {
    const std::lock_guard lock(mutex_);
    values_.emplace_back(partition, std::move(value));
    changed_.notify_all();
  }

  // So many that nobody reads.
  void Grow(std::int64_t records) {
    const std::lock_guard lock(mutex_);
    for (std::int32_t p = 0; p < partitions; ++p) Ends(Partition(p)) += records;
  }

  // Fails the next poll with this.
  void FailNextPoll(ErrorCode code) {
    const std::lock_guard lock(mutex_);
    poll_failure_ = code;
    changed_.notify_all();
  }

  [[nodiscard]] int readers_made() const { return readers_made_; }
  [[nodiscard]] int stops() const { return stops_; }
  [[nodiscard]] std::vector<std::pair<std::int32_t, std::int64_t>> starts() {
    const std::lock_guard lock(mutex_);
    return starts_;
  }

  [[nodiscard]] Result<std::int32_t> PartitionCount(Topic) override {
    const std::lock_guard lock(mutex_);
    if (away_) return Fail(ErrorCode::kUnavailable, "away");
    return partitions;
  }
  [[nodiscard]] std::vector<Result<LogBounds>> BoundsOf(Topic,
                                                        std::span<const Partition> asked) override {
    if (on_bounds) on_bounds();
    const std::lock_guard lock(mutex_);
    if (away_) return {asked.size(), Fail(ErrorCode::kUnavailable, "away")};
    std::vector<Result<LogBounds>> bounds;
    for (const Partition partition : asked) {
      const bool is_empty = partition.value >= empty_from;
      bounds.emplace_back(LogBounds{Offset(0), Offset(is_empty ? 0 : Ends(partition))});
    }
    return bounds;
  }
  [[nodiscard]] Result<std::unique_ptr<LogReader>> NewReader(Topic, const ReaderOptions&) override {
    ++readers_made_;
    return std::make_unique<Reader>(*this);
  }
  [[nodiscard]] Result<std::unique_ptr<LogAppender>> NewAppender(Topic,
                                                                 const AppenderOptions&) override {
    return Fail(ErrorCode::kRefused, "not of this fake");
  }
  Result<std::string> Id() override { return std::string("a log"); }
  [[nodiscard]] Status Ping(std::int64_t) override {
    const std::lock_guard lock(mutex_);
    if (away_) return Fail(ErrorCode::kUnavailable, "away");
    return {};
  }

  std::int32_t partitions = 4;
  std::int32_t empty_from = 1 << 20;  // nothing stands in partitions from it on
  std::function<void()> on_bounds;    // called before they are looked at

 private:
  class Reader final : public LogReader {
   public:
    explicit Reader(FakeLog& log) : log_(log) {}
    [[nodiscard]] Status Start(Partition partition, Offset from) override {
      const std::lock_guard lock(log_.mutex_);
      if (log_.away_) return Fail(ErrorCode::kUnavailable, "away");
      log_.starts_.emplace_back(partition.value, from.value);
      return {};
    }
    void Stop(Partition) override { ++log_.stops_; }
    [[nodiscard]] Result<LogBatch> Poll(std::size_t, std::int64_t timeout_ms) override {
      return log_.Poll(timeout_ms);
    }

   private:
    FakeLog& log_;
  };

  Result<LogBatch> Poll(std::int64_t timeout_ms) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                      [&] { return !values_.empty() || poll_failure_; });
    if (const auto failure = std::exchange(poll_failure_, std::nullopt)) {
      return Fail(*failure, "told to fail");
    }
    LogBatch batch;
    auto values = std::make_shared<std::vector<std::pair<Partition, std::string>>>(
        std::exchange(values_, {}));
    for (const auto& [partition, value] : *values) {
      batch.records.push_back(
          LogRecord{partition, Offset(Ends(partition)++), 0, std::nullopt, value});
    }
    batch.bytes = std::move(values);
    return batch;
  }

  std::int64_t& Ends(Partition partition) {
    return ends_.try_emplace(partition, 100 + partition.value).first->second;
  }

  std::map<Partition, std::int64_t> ends_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool away_ = false;
  std::optional<ErrorCode> poll_failure_;
  std::vector<std::pair<Partition, std::string>> values_;
  std::vector<std::pair<std::int32_t, std::int64_t>> starts_;
  std::atomic<int> readers_made_{0};
  std::atomic<int> stops_{0};
};

// Waits until `condition` holds; false after a bound no healthy machine reaches.
inline bool Eventually(const std::function<bool()>& condition) {
  constexpr int kTriesMax = 5000;
  for (int i = 0; i < kTriesMax; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

}  // namespace fanfold::writer
