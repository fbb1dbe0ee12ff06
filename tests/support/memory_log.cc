#include "tests/support/memory_log.h"

#include <map>

namespace fanfold::testing {
namespace {

std::optional<std::string_view> View(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

}  // namespace

class MemoryLogReader final : public LogReader {
 public:
  MemoryLogReader(MemoryLog& log, Topic topic) : log_(log), topic_(topic) {}

  Status Start(Partition partition, Offset from) override {
    const std::scoped_lock lock(log_.mutex_);
    const auto end = static_cast<std::int64_t>(log_.Records(topic_, partition).size());
    if (from < log_.BeginOf(topic_, partition) || from.value > end)
      return Fail(ErrorCode::kOutOfRange, "outside");
    next_[partition] = from;
    return {};
  }
  void Stop(Partition partition) override { next_.erase(partition); }

  Result<LogBatch> Poll(std::size_t records_max, std::int64_t) override {
    if (log_.is_away()) {
      ++log_.polls_in_vain_;
      return Fail(ErrorCode::kUnavailable, "away");
    }
    auto copies = std::make_shared<std::deque<MemoryRecord>>();
    LogBatch batch;
    if (log_.silent_polls_ > 0) {
      --log_.silent_polls_;
      return batch;
    }
    const std::scoped_lock lock(log_.mutex_);
    for (auto& [partition, next] : next_) {
      const auto& records = log_.Records(topic_, partition);
      while (next.value < static_cast<std::int64_t>(records.size()) &&
             batch.records.size() < records_max) {
        if (log_.IsLost(topic_, partition, next)) {
          next = Next(next);
          continue;
        }
        const MemoryRecord& copy =
            copies->emplace_back(records[static_cast<std::size_t>(next.value)]);
        batch.records.push_back(
            {partition, next, copy.appended_ms, View(copy.key), View(copy.value)});
        next = Next(next);
      }
    }
    batch.bytes = copies;
    return batch;
  }

 private:
  MemoryLog& log_;
  Topic topic_;
  std::map<Partition, Offset> next_;
};

class MemoryAppender final : public LogAppender {
 public:
  MemoryAppender(MemoryLog& log, Topic topic, bool stop_on_failure)
      : log_(log), topic_(topic), stop_on_failure_(stop_on_failure) {}
  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    const bool refused = *failed_ || log_.refuse_ > 0;
    if (!*failed_ && log_.refuse_ > 0) --log_.refuse_;
    Done told = [failed = failed_, stops = stop_on_failure_,
                 done = std::move(done)](const Result<Position>& position) {
      *failed = *failed || (stops && !position);
      done(position);
    };
    if (refused) return told(Fail(ErrorCode::kUnavailable, "refused on purpose"));
    if (key.size() + value.size() > log_.record_bytes_max_) {
      return told(Fail(ErrorCode::kInvalidArgument, "too large"));
    }
    log_.Append({topic_, partition, {std::string(key), std::string(value)}, std::move(told)});
  }
  bool Flush(std::int64_t) override { return log_.held_.empty(); }

 private:
  MemoryLog& log_;
  Topic topic_;
  bool stop_on_failure_;
  std::shared_ptr<bool> failed_ = std::make_shared<bool>(false);
};

MemoryLog::MemoryLog(std::int32_t partitions) : partitions_(partitions) {
  for (const Topic topic : Topic::All()) {
    topics_[topic].partitions.resize(static_cast<std::size_t>(partitions));
    topics_[topic].begins.resize(static_cast<std::size_t>(partitions));
  }
}

std::vector<MemoryRecord>& MemoryLog::Records(Topic topic, Partition partition) {
  MemoryTopic& held = topics_[topic];
  return held.partitions[static_cast<std::size_t>(partition.value)];
}

void MemoryLog::Put(Topic topic, Partition partition, std::optional<std::string> key,
                    std::optional<std::string> value) {
  const std::scoped_lock lock(mutex_);
  Keep(topic, partition, {std::move(key), std::move(value)});
}

void MemoryLog::Cut(Topic topic, Partition partition, Offset begin) {
  const std::scoped_lock lock(mutex_);
  BeginOf(topic, partition) = begin;
}

Offset& MemoryLog::BeginOf(Topic topic, Partition partition) {
  return topics_[topic].begins[static_cast<std::size_t>(partition.value)];
}

void MemoryLog::Keep(Topic topic, Partition partition, MemoryRecord record) {
  if (appends_) record.appended_ms = (*appends_)++;
  Records(topic, partition).push_back(std::move(record));
}

void MemoryLog::Append(Held held) {
  held_.push_back(std::move(held));
  if (!hold_) Deliver();
}

void MemoryLog::Deliver(std::size_t count) {
  for (; count > 0; --count) {
    Held held = std::move(held_.front());
    held_.pop_front();
    std::unique_lock lock(mutex_);
    auto& records = Records(held.topic, held.partition);
    const Offset at(static_cast<std::int64_t>(records.size()));
    Keep(held.topic, held.partition, std::move(held.record));
    lock.unlock();
    held.done(Position{held.partition, at});
  }
}

void MemoryLog::FailHeld() {
  while (!held_.empty()) {
    const Held held = std::move(held_.front());
    held_.pop_front();
    held.done(Fail(ErrorCode::kUnknown, "failed on purpose"));
  }
}

Result<std::int32_t> MemoryLog::PartitionCount(Topic) { return partitions_; }

std::vector<Result<LogBounds>> MemoryLog::BoundsOf(Topic topic,
                                                   std::span<const Partition> partitions) {
  // One question for the begin, one for the end.
  if (clock_ != nullptr) clock_->now_ms += 2 * round_trip_ms_;
  if (away_) {
    ++waits_;
    return {partitions.size(), Fail(ErrorCode::kUnavailable, "away")};
  }
  const std::scoped_lock lock(mutex_);
  std::vector<Result<LogBounds>> bounds;
  for (const Partition partition : partitions) {
    const std::size_t end = Records(topic, partition).size();
    bounds.emplace_back(
        LogBounds{BeginOf(topic, partition), Offset(static_cast<std::int64_t>(end))});
  }
  return bounds;
}

Result<std::unique_ptr<LogReader>> MemoryLog::NewReader(Topic topic,
                                                        const ReaderOptions& /*options*/) {
  ++readers_opened_;
  return std::make_unique<MemoryLogReader>(*this, topic);
}

Result<std::unique_ptr<LogAppender>> MemoryLog::NewAppender(Topic topic,
                                                            const AppenderOptions& options) {
  return std::make_unique<MemoryAppender>(*this, topic, options.stop_on_failure);
}

Status MemoryLog::Ping(std::int64_t) {
  if (away_) return Fail(ErrorCode::kUnavailable, "away");
  return {};
}

}  // namespace fanfold::testing
