// What the suite of an EventLog stands on: the factory of an adapter and a fixture that appends and
// reads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/ports/event_log.h"

namespace fanfold::testing {

struct EventLogFactory {
  std::string adapter;
  // A log of its own, empty, both topics with that many partitions.
  std::function<std::unique_ptr<EventLog>(std::int32_t partitions)> make;
  // A log that can be reached and has no topics; null where there is no such thing.
  std::function<std::unique_ptr<EventLog>()> make_without_topics = nullptr;
  // A value of this size is more than one record may hold.
  std::size_t too_large_bytes = 0;
  // Lets a log without a thread of its own do what it has to; null where it needs no help.
  void (*drive)(EventLog&) = nullptr;

  friend void PrintTo(const EventLogFactory& factory, std::ostream* out) {
    *out << factory.adapter;
  }
};

// A record with bytes of its own.
struct ReadRecord {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int64_t appended_ms = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
};

inline ReadRecord Copy(const LogRecord& record) {
  const auto copy = [](std::optional<std::string_view> view) {
    return view ? std::optional<std::string>(*view) : std::nullopt;
  };
  return {record.partition.value, record.offset.value, record.appended_ms, copy(record.key),
          copy(record.value)};
}

// The answers to appends, in the order of the calls.
class Answers {
 public:
  // The callback of the next append.
  [[nodiscard]] LogAppender::Done Next() {
    const std::lock_guard lock(mutex_);
    results_.emplace_back();
    return [this, index = results_.size() - 1](Result<Position> result) {
      const std::lock_guard call_lock(mutex_);
      ++calls_;
      results_[index] = std::move(result);
      called_.notify_all();
    };
  }

  // Waits for all; fails the test when they do not come or come twice.
  [[nodiscard]] std::vector<Result<Position>> Await() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(called_.wait_for(lock, std::chrono::seconds(30),
                                 [this] { return calls_ >= results_.size(); }))
        << calls_ << " of " << results_.size() << " appends were answered";
    EXPECT_EQ(calls_, results_.size());
    std::vector<Result<Position>> answers;
    for (auto& result : results_) {
      answers.push_back(result ? std::move(*result) : Fail(ErrorCode::kTimeout, "no answer"));
    }
    return answers;
  }

 private:
  std::mutex mutex_;
  std::condition_variable called_;
  std::vector<std::optional<Result<Position>>> results_;
  std::size_t calls_ = 0;
};

class EventLogContract : public ::testing::TestWithParam<EventLogFactory> {
 protected:
  static constexpr std::int32_t kPartitions = 4;
  static constexpr std::int64_t kPollMs = 100;
  static constexpr std::int64_t kPatienceMs = 20'000;
  // How long silence is listened to.
  static constexpr std::int64_t kSilenceMs = 300;
  static constexpr std::size_t kPollRecords = 1000;
  static constexpr Topic kTopic = topics::kRelationEvents;

  void SetUp() override { log_ = GetParam().make(kPartitions); }

  std::unique_ptr<LogAppender> Appender(const AppenderOptions& options = {}) {
    auto appender = log_->NewAppender(kTopic, options);
    if (!appender) ADD_FAILURE() << appender.error().message;
    return appender ? std::move(*appender) : nullptr;
  }

  std::unique_ptr<LogReader> Reader() {
    auto reader = log_->NewReader(kTopic);
    if (!reader) ADD_FAILURE() << reader.error().message;
    return reader ? std::move(*reader) : nullptr;
  }

  // The answers to all appends, once the log has had the chance to work.
  std::vector<Result<Position>> Await(Answers& answers) {
    if (GetParam().drive != nullptr) GetParam().drive(*log_);
    return answers.Await();
  }

  // Appends "first", "first+1", … to a partition and waits; every one must be taken.
  void AppendNumbers(LogAppender& appender, Partition partition, int first, int count) {
    Answers answers;
    for (int i = first; i < first + count; ++i) {
      appender.Append(partition, "k", std::to_string(i), answers.Next());
    }
    for (const auto& answer : Await(answers)) {
      if (!answer) ADD_FAILURE() << answer.error().message;
    }
  }

  // Polls until `count` records came, or patience ran out.
  std::vector<ReadRecord> Collect(LogReader& reader, std::size_t count,
                                  std::size_t records_max = kPollRecords) {
    std::vector<ReadRecord> records;
    const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
    while (records.size() < count && clock_.SteadyMs() < deadline) {
      const Result<LogBatch> batch = reader.Poll(records_max, kPollMs);
      if (!batch) {
        ADD_FAILURE() << batch.error().message;
        return records;
      }
      EXPECT_LE(batch->records.size(), records_max);
      for (const LogRecord& record : batch->records) records.push_back(Copy(record));
    }
    EXPECT_EQ(records.size(), count);
    return records;
  }

  // Everything that comes for kSilenceMs.
  std::vector<ReadRecord> Listen(LogReader& reader) {
    std::vector<ReadRecord> records;
    const std::int64_t deadline = clock_.SteadyMs() + kSilenceMs;
    while (clock_.SteadyMs() < deadline) {
      const Result<LogBatch> batch = reader.Poll(kPollRecords, kPollMs);
      if (!batch) {
        ADD_FAILURE() << batch.error().message;
        break;
      }
      for (const LogRecord& record : batch->records) records.push_back(Copy(record));
    }
    return records;
  }

  // How a start there fails, at once or when it is read.
  Error RefusalOf(LogReader& reader, Partition partition, Offset from) {
    if (Status started = reader.Start(partition, from); !started) return started.error();
    const std::int64_t deadline = clock_.SteadyMs() + kPatienceMs;
    while (clock_.SteadyMs() < deadline) {
      const Result<LogBatch> batch = reader.Poll(kPollRecords, kPollMs);
      if (!batch) return batch.error();
      EXPECT_TRUE(batch->records.empty());
    }
    return {ErrorCode::kTimeout, "it was not refused"};
  }

  void ExpectStarted(const Status& status) {
    if (!status) ADD_FAILURE() << status.error().message;
  }

  // The records are those numbers, one after the other, from that offset on.
  static void ExpectNumbers(const std::vector<ReadRecord>& records, std::int64_t offset,
                            int number) {
    for (const ReadRecord& record : records) {
      ASSERT_EQ(record.offset, offset++);
      ASSERT_EQ(record.value, std::to_string(number++));
    }
  }

  SystemClock clock_;
  std::unique_ptr<EventLog> log_;
};

inline std::string NameOf(const ::testing::TestParamInfo<EventLogFactory>& param_info) {
  return param_info.param.adapter;
}

}  // namespace fanfold::testing
