#include "writer/outcome_follower.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "common/base/backoff.h"
#include "common/base/logging.h"
#include "common/relation/codec.h"

namespace fanfold::writer {
namespace {

void SleepUnlessStopped(std::int64_t wait_ms, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::chrono::milliseconds(wait_ms), [] { return false; });
}

}  // namespace

OutcomeFollower::OutcomeFollower(EventLog& log, OutcomeWaiters& waiters)
    : log_(log), waiters_(waiters), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void OutcomeFollower::Run(const std::stop_token& stop) {
  Backoff backoff(kRetryMsInitial, kRetryMsMax);
  while (!stop.stop_requested()) {
    Result<std::unique_ptr<LogReader>> reader = StartAtTheEnds(stop);
    Status ended;
    if (reader) {
      backoff.Reset();
      following_ = true;
      ended = Follow(**reader, stop);
      following_ = false;
    } else {
      ended = Forward(reader);
    }
    if (ended || stop.stop_requested()) continue;
    LogWarning("outcomes are not followed", {{"error", ended.error().message}});
    SleepUnlessStopped(backoff.Next(), stop);
  }
}

Result<std::unique_ptr<LogReader>> OutcomeFollower::StartAtTheEnds(const std::stop_token& stop) {
  const Result<std::int32_t> partitions = log_.PartitionCount(Topic::kOutcomes);
  if (!partitions) return std::unexpected(partitions.error());
  Result<std::unique_ptr<LogReader>> reader = log_.NewReader(Topic::kOutcomes);
  if (!reader) return reader;
  for (std::int32_t number = 0; number < *partitions; ++number) {
    if (stop.stop_requested()) return Fail(ErrorCode::kUnavailable, "stopped");
    const Partition partition(number);
    const Result<LogBounds> bounds = log_.Bounds(Topic::kOutcomes, partition);
    if (!bounds) return std::unexpected(bounds.error());
    if (Status started = (*reader)->Start(partition, bounds->end); !started) {
      return Forward(started);
    }
  }
  return reader;
}

Status OutcomeFollower::Follow(LogReader& reader, const std::stop_token& stop) {
  Backoff backoff(kRetryMsInitial, kRetryMsMax);
  while (!stop.stop_requested()) {
    Result<LogBatch> batch = reader.Poll(kPollRecordsMax, kPollTimeoutMs);
    if (batch) {
      backoff.Reset();
      Deliver(*batch);
    } else if (batch.error().code == ErrorCode::kUnavailable) {
      SleepUnlessStopped(backoff.Next(), stop);
    } else {
      return Forward(batch);
    }
  }
  return {};
}

void OutcomeFollower::Deliver(const LogBatch& batch) {
  for (const LogRecord& record : batch.records) {
    if (waiters_.size() == 0) return;
    // One that cannot be read is the projectors' to park; nobody here can be told by it.
    const auto outcome = ReadOutcomeRecord(record.value, record.partition);
    if (outcome) waiters_.Deliver(*outcome);
  }
}

}  // namespace fanfold::writer
