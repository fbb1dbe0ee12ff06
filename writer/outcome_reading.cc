#include "writer/outcome_reading.h"

#include <utility>
#include <vector>

#include "common/relation/codec.h"

namespace fanfold::writer {

Status OutcomeReading::Step(std::int64_t poll_ms) {
  Status done = StepOn(poll_ms);
  if (!done && done.error().code != ErrorCode::kUnavailable) {
    following_ = false;
    reader_.reset();
  }
  return done;
}

Status OutcomeReading::StepOn(std::int64_t poll_ms) {
  if (!is_following()) return StartAll();
  if (!is_at_rest_) {
    if (Status followed = Follow(poll_ms); !followed) return followed;
    if (waiters_.MayRest()) Rest();
    return {};
  }
  if (!waiters_.WaitForAny(poll_ms)) return {};
  is_at_rest_ = false;
  Status started = StartAll();
  following_ = started.has_value();
  waiters_.Resume();
  return started;
}

void OutcomeReading::Rest() {
  for (std::int32_t p = 0; p < partitions_; ++p) reader_->Stop(Partition(p));
  is_at_rest_ = true;
}

Status OutcomeReading::StartAll() {
  const Result<std::vector<LogBounds>> bounds = log_.AllBounds(Topic::kOutcomes, partitions_);
  if (!bounds) return std::unexpected(bounds.error());
  if (!reader_) {
    Result<std::unique_ptr<LogReader>> reader = log_.NewReader(Topic::kOutcomes);
    if (!reader) return Forward(reader);
    reader_ = *std::move(reader);
  }
  for (std::int32_t p = 0; p < partitions_; ++p) {
    const Offset end = (*bounds)[static_cast<std::size_t>(p)].end;
    if (Status started = reader_->Start(Partition(p), end); !started) return started;
  }
  following_ = true;
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
