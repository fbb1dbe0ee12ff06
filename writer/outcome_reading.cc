#include "writer/outcome_reading.h"

#include <utility>
#include <vector>

#include "common/relation/codec.h"

namespace fanfold::writer {
namespace {

// Where the outcomes of a stream stand, and how they are read.
template <class Decided>
struct Kind;

template <>
struct Kind<Outcome> {
  static constexpr Topic kTopic = topics::kRelationOutcomes;
  static auto Read(const LogRecord& record) {
    return ReadOutcomeRecord(record.value, record.partition);
  }
};

template <>
struct Kind<PostOutcome> {
  static constexpr Topic kTopic = topics::kPostOutcomes;
  static auto Read(const LogRecord& record) {
    return ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
  }
};

}  // namespace

template <class Decided>
Status ReadingFor<Decided>::Step(std::int64_t poll_ms) {
  Status done = !is_following() ? StartAll() : is_at_rest_ ? Rest(poll_ms) : Follow(poll_ms);
  if (!done && done.error().code != ErrorCode::kUnavailable) {
    following_ = false;
    is_at_rest_ = false;
    reader_.reset();
  }
  return done;
}

template <class Decided>
Status ReadingFor<Decided>::StartAll() {
  const Result<std::vector<LogBounds>> bounds = log_.AllBounds(Kind<Decided>::kTopic, partitions_);
  if (!bounds) return std::unexpected(bounds.error());
  Result<std::unique_ptr<LogReader>> reader = log_.NewReader(Kind<Decided>::kTopic);
  if (!reader) return Forward(reader);
  reader_ = std::move(*reader);
  next_.clear();
  for (const LogBounds& held : *bounds) next_.push_back(held.end);
  if (Status started = StartAtNext(); !started) return started;
  following_ = true;
  return {};
}

template <class Decided>
Status ReadingFor<Decided>::StartAtNext() {
  for (std::int32_t p = 0; p < partitions_; ++p) {
    Status started = reader_->Start(Partition(p), next_[static_cast<std::size_t>(p)]);
    if (!started) return started;
  }
  return {};
}

template <class Decided>
Status ReadingFor<Decided>::Follow(std::int64_t poll_ms) {
  Result<LogBatch> batch = reader_->Poll(kPollRecordsMax, poll_ms);
  if (!batch) return Forward(batch);
  for (const LogRecord& record : batch->records) {
    next_[static_cast<std::size_t>(record.partition.value)] = Next(record.offset);
  }
  Deliver(*batch);
  if (!waiters_.AreGone()) return {};
  for (std::int32_t p = 0; p < partitions_; ++p) reader_->Stop(Partition(p));
  is_at_rest_ = true;
  steps_to_look_ = kStepsBetweenLooks;
  return {};
}

template <class Decided>
Status ReadingFor<Decided>::Rest(std::int64_t poll_ms) {
  const std::uint64_t registered = waiters_.registered();
  if (waiters_.WaitForOne(poll_ms)) {
    Status started = StartAtNext();
    is_at_rest_ = !started;
    return started;
  }
  if (--steps_to_look_ == 0) LookAtEnds(registered);
  return {};
}

// A partition whose leader does not answer is read from where it ended before; so is each when
// somebody came meanwhile, whose outcome may stand below the ends.
template <class Decided>
void ReadingFor<Decided>::LookAtEnds(std::uint64_t registered) {
  const std::vector<Result<LogBounds>> bounds =
      log_.BoundsOf(Kind<Decided>::kTopic, AllPartitions(partitions_));
  steps_to_look_ = kStepsBetweenLooks;
  if (waiters_.registered() != registered) return;
  for (std::size_t p = 0; p < bounds.size(); ++p) {
    if (bounds[p]) next_[p] = bounds[p]->end;
    if (!bounds[p]) steps_to_look_ = kStepsAfterNoAnswer;
  }
}

template <class Decided>
void ReadingFor<Decided>::Deliver(const LogBatch& batch) {
  for (const LogRecord& record : batch.records) {
    if (waiters_.size() == 0) return;
    // One that cannot be read is the projectors' to park; nobody here can be told by it.
    const auto outcome = Kind<Decided>::Read(record);
    if (outcome) waiters_.Deliver(*outcome);
  }
}

template class ReadingFor<Outcome>;
template class ReadingFor<PostOutcome>;

}  // namespace fanfold::writer
