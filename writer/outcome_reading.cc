#include "writer/outcome_reading.h"

#include <utility>

#include "common/relation/codec.h"

namespace fanfold::writer {

Status OutcomeReading::Step(std::int64_t poll_ms) {
  Status done = is_following() ? Follow(poll_ms) : StartNext();
  if (!done && done.error().code != ErrorCode::kUnavailable) {
    following_ = false;
    reader_.reset();
  }
  return done;
}

Status OutcomeReading::StartNext() {
  if (reader_ == nullptr) {
    const Result<std::int32_t> partitions = log_.PartitionCount(Topic::kOutcomes);
    if (!partitions) return std::unexpected(partitions.error());
    Result<std::unique_ptr<LogReader>> reader = log_.NewReader(Topic::kOutcomes);
    if (!reader) return Forward(reader);
    reader_ = std::move(*reader);
    partitions_ = *partitions;
    started_ = 0;
  }
  const Partition partition(started_);
  const Result<LogBounds> bounds = log_.Bounds(Topic::kOutcomes, partition);
  if (!bounds) return std::unexpected(bounds.error());
  if (Status started = reader_->Start(partition, bounds->end); !started) return started;
  following_ = ++started_ == partitions_;
  return {};
}

Status OutcomeReading::Follow(std::int64_t poll_ms) {
  Result<LogBatch> batch = reader_->Poll(kPollRecordsMax, poll_ms);
  if (!batch) return Forward(batch);
  Deliver(*batch);
  return {};
}

void OutcomeReading::Deliver(const LogBatch& batch) {
  for (const LogRecord& record : batch.records) {
    if (waiters_.size() == 0) return;
    // One that cannot be read is the projectors' to park; nobody here can be told by it.
    const auto outcome = ReadOutcomeRecord(record.value, record.partition);
    if (outcome) waiters_.Deliver(*outcome);
  }
}

}  // namespace fanfold::writer
