#include "tests/simulation/faulty_log.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fanfold::simulation {
namespace {

// Polls are small, so that crashes fall between the records of a batch.
constexpr std::uint64_t kFaultyBatchMax = 12;
// How many records of a partition may come again.
constexpr std::size_t kRememberedMax = 6;

std::unexpected<Error> LogAway() { return Fail(ErrorCode::kUnavailable, "the log is away"); }

class FaultyReader final : public LogReader {
 public:
  FaultyReader(std::unique_ptr<LogReader> reader, const LogTroubles& troubles)
      : reader_(std::move(reader)), troubles_(troubles) {}

  Status Start(Partition partition, Offset from) override {
    troubles_.life.Enter(PortCall::kStart);
    if (troubles_.nemesis.Strikes(Fault::kLogUnavailable)) return LogAway();
    Forget(partition);
    Status started = reader_->Start(partition, from);
    troubles_.life.Leave(PortCall::kStart);
    return started;
  }

  void Stop(Partition partition) override {
    Forget(partition);
    reader_->Stop(partition);
  }

  Result<LogBatch> Poll(std::size_t records_max, std::int64_t timeout_ms) override {
    troubles_.life.Enter(PortCall::kPoll);
    if (troubles_.nemesis.Strikes(Fault::kLogUnavailable)) return LogAway();
    Result<LogBatch> polled = Next(records_max);
    if (polled && polled->records.empty()) troubles_.clock.SleepMs(timeout_ms);
    if (polled && !polled->records.empty()) {
      if (troubles_.nemesis.Strikes(Fault::kRecordsDelayed)) {
        delayed_ = std::move(*polled);
        return LogBatch{};
      }
      Disturb(*polled);
    }
    troubles_.life.Leave(PortCall::kPoll);
    return polled;
  }

 private:
  Result<LogBatch> Next(std::size_t records_max) {
    if (!delayed_.records.empty()) return std::exchange(delayed_, LogBatch{});
    const std::size_t asked = 1 + troubles_.random.Below(kFaultyBatchMax);
    return reader_->Poll(std::min(records_max, asked), 0);
  }

  // None of its records comes any more.
  void Forget(Partition partition) {
    remembered_.erase(partition);
    std::erase_if(delayed_.records,
                  [&](const LogRecord& record) { return record.partition == partition; });
  }

  struct Remembered {
    LogRecord record;
    std::shared_ptr<void> bytes;
  };

  void Disturb(LogBatch& batch) {
    std::map<Partition, std::deque<LogRecord>> lines;
    for (const LogRecord& record : batch.records) lines[record.partition].push_back(record);
    const bool repeats = troubles_.nemesis.Strikes(Fault::kRecordsRepeated);
    if (repeats) Repeat(lines, batch);
    for (const LogRecord& record : batch.records) Remember(record, batch.bytes);
    if (lines.size() > 1 && troubles_.nemesis.Strikes(Fault::kPartitionsReordered)) {
      batch.records = Interleaved(std::move(lines));
    } else if (repeats) {
      batch.records.clear();
      for (const auto& [partition, line] : lines) {
        batch.records.insert(batch.records.end(), line.begin(), line.end());
      }
    }
  }

  void Remember(const LogRecord& record, const std::shared_ptr<void>& bytes) {
    std::deque<Remembered>& line = remembered_[record.partition];
    line.push_back({record, bytes});
    if (line.size() > kRememberedMax) line.pop_front();
  }

  // One record of each partition comes twice, and one that was delivered earlier once more.
  void Repeat(std::map<Partition, std::deque<LogRecord>>& lines, LogBatch& batch) {
    auto kept = std::make_shared<std::vector<std::shared_ptr<void>>>();
    kept->push_back(batch.bytes);
    for (auto& [partition, line] : lines) {
      const std::size_t at = 1 + troubles_.random.Below(line.size());
      line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), LogRecord(line[at - 1]));
      std::deque<Remembered>& old = remembered_[partition];
      if (old.empty()) continue;
      const Remembered& late = old[troubles_.random.Below(old.size())];
      kept->push_back(late.bytes);
      line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), late.record);
    }
    batch.bytes = kept;
  }

  std::vector<LogRecord> Interleaved(std::map<Partition, std::deque<LogRecord>> lines) {
    std::vector<LogRecord> mixed;
    while (!lines.empty()) {
      auto line = lines.begin();
      std::advance(line, static_cast<std::ptrdiff_t>(troubles_.random.Below(lines.size())));
      mixed.push_back(line->second.front());
      line->second.pop_front();
      if (line->second.empty()) lines.erase(line);
    }
    return mixed;
  }

  std::unique_ptr<LogReader> reader_;
  LogTroubles troubles_;
  std::map<Partition, std::deque<Remembered>> remembered_;  // delivered last, of each partition
  LogBatch delayed_;
};

class FaultyAppender final : public LogAppender {
 public:
  FaultyAppender(Transit::Sender sender, const LogTroubles& troubles)
      : sender_(sender), troubles_(troubles) {}
  ~FaultyAppender() override { troubles_.transit.Close(sender_); }

  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    troubles_.life.Enter(PortCall::kAppend);
    if (troubles_.transit.Stopped(sender_) || troubles_.nemesis.Strikes(Fault::kAppendRefused)) {
      troubles_.transit.Refused(sender_);
      return done(LogAway());
    }
    troubles_.transit.Send(sender_, partition, key, value, std::move(done));
    troubles_.life.Leave(PortCall::kAppend);
  }

  bool Flush(std::int64_t timeout_ms) override {
    troubles_.life.Enter(PortCall::kFlush);
    const bool in_time = troubles_.random.Below(2) == 0;
    if (in_time) troubles_.transit.Drain(sender_);
    if (!in_time) troubles_.clock.SleepMs(timeout_ms);
    troubles_.life.Leave(PortCall::kFlush);
    return in_time;
  }

 private:
  Transit::Sender sender_;
  LogTroubles troubles_;
};

}  // namespace

Result<std::int32_t> FaultyLog::PartitionCount(Topic topic) {
  troubles_.life.Enter(PortCall::kOpen);
  if (troubles_.nemesis.Strikes(Fault::kLogUnavailable)) return LogAway();
  Result<std::int32_t> count = log_.PartitionCount(topic);
  troubles_.life.Leave(PortCall::kOpen);
  return count;
}

std::vector<Result<LogBounds>> FaultyLog::BoundsOf(Topic topic,
                                                   std::span<const Partition> partitions) {
  troubles_.life.Enter(PortCall::kBounds);
  std::vector<Result<LogBounds>> bounds = log_.BoundsOf(topic, partitions);
  // Some of them may have no leader.
  for (Result<LogBounds>& answer : bounds) {
    if (troubles_.nemesis.Strikes(Fault::kLogUnavailable)) answer = LogAway();
  }
  troubles_.life.Leave(PortCall::kBounds);
  return bounds;
}

Result<std::unique_ptr<LogReader>> FaultyLog::NewReader(Topic topic, const ReaderOptions& options) {
  troubles_.life.Enter(PortCall::kOpen);
  if (troubles_.nemesis.Strikes(Fault::kLogUnavailable)) return LogAway();
  Result<std::unique_ptr<LogReader>> reader = log_.NewReader(topic, options);
  if (!reader) return reader;
  troubles_.life.Leave(PortCall::kOpen);
  return std::make_unique<FaultyReader>(std::move(*reader), troubles_);
}

Result<std::unique_ptr<LogAppender>> FaultyLog::NewAppender(Topic topic,
                                                            const AppenderOptions& options) {
  troubles_.life.Enter(PortCall::kOpen);
  if (troubles_.nemesis.Strikes(Fault::kLogUnavailable)) return LogAway();
  const Transit::Sender sender = troubles_.transit.Open(topic, options);
  troubles_.life.Leave(PortCall::kOpen);
  return std::make_unique<FaultyAppender>(sender, troubles_);
}

}  // namespace fanfold::simulation
