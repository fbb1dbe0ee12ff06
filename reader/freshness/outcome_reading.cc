#include "reader/freshness/outcome_reading.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "common/base/logging.h"
#include "common/relation/codec.h"

namespace fanfold::reader {
namespace {

// Where the slowest fans' lane of a partition stands.
struct Start {
  Offset event;
  Offset record;  // of the outcome topic
};

Start SlowestFans(const PositionTable& table, const Deployment& deployment, Partition partition) {
  const LaneId lane{ProjectionOf(Direction::kFans), deployment.read[Direction::kFans], partition};
  std::optional<Start> slowest;
  for (std::int32_t s = 0; s < deployment.placement.shards(); ++s) {
    Start start;
    for (const LaneStatus& status : table.Lanes(Shard(s))) {
      if (status.lane != lane) continue;
      start = {status.progress.event_offset, status.progress.next_offset};
    }
    if (!slowest || start.event < slowest->event) slowest = start;
  }
  return slowest.value_or(Start());
}

// The outcome a record holds. Nothing for a repeat. Errors: kOutOfRange, a gap or no outcome.
Result<std::optional<Outcome>> Expect(const LogRecord& record, Offset next) {
  const auto outcome = ReadOutcomeRecord(record.value, record.partition);
  if (!outcome) {
    return Fail(ErrorCode::kOutOfRange,
                fmt::format("record {}:{} cannot be read: {}", record.partition.value,
                            record.offset.value, outcome.error().detail));
  }
  if (outcome->position.offset < next) return std::optional<Outcome>();
  if (outcome->position.offset == next) return std::optional<Outcome>(*outcome);
  return Fail(ErrorCode::kOutOfRange,
              fmt::format("outcome {} where {}:{} is next", ToString(outcome->position),
                          record.partition.value, next.value));
}

}  // namespace

OutcomeReading::OutcomeReading(PositionBoard& board, LiveLists& live, EventLog& log,
                               Metrics& metrics, std::function<void()> moved)
    : board_(board),
      live_(live),
      log_(log),
      repeats_(metrics.GetCounter("fanfold_reader_repeated_outcomes_total",
                                  "Outcomes that were in the topic once more")),
      moved_(std::move(moved)) {}

Status OutcomeReading::Begin() {
  const Result<Deployment> deployment = board_.Current();
  if (!deployment) return std::unexpected(deployment.error());
  for (std::int32_t s = 0; s < board_.shards(); ++s) {
    if (Status up = board_.ShardUp(Shard(s)); !up) return up;
  }
  Result<std::unique_ptr<LogReader>> reader = log_.NewReader(topics::kRelationOutcomes);
  if (!reader) return Forward(reader);
  reader_ = *std::move(reader);
  Status started = StartAll(*deployment);
  log_away_ = !started && started.error().code == ErrorCode::kUnavailable;
  if (!started) return started;
  LogInfo("follows the outcomes", {{"partitions", deployment->placement.partitions()}});
  return {};
}

Status OutcomeReading::Step(std::int64_t timeout_ms) {
  const Result<LogBatch> batch = reader_->Poll(kPollRecordsMax, timeout_ms);
  if (!batch) return std::unexpected(batch.error());
  if (Status taken = Take(*batch); !taken) return taken;
  if (batch->records.empty() || ++polls_ % kPollsBetweenTrims == 0) TrimRecentMoves();
  return {};
}

void OutcomeReading::End() {
  reader_.reset();
  live_.Stop();
  moved_();
}

Status OutcomeReading::StartAll(const Deployment& deployment) {
  const PositionTable table = board_.Table().first;
  next_.clear();
  next_record_.clear();
  end_at_start_.clear();
  const std::int32_t partitions = deployment.placement.partitions();
  const Result<std::vector<LogBounds>> bounds =
      log_.AllBounds(topics::kRelationOutcomes, partitions);
  if (!bounds) return std::unexpected(bounds.error());
  for (std::int32_t p = 0; p < partitions; ++p) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(p)];
    const Start start = SlowestFans(table, deployment, Partition(p));
    if (!held.MayStartAt(start.record)) {
      return Fail(ErrorCode::kOutOfRange,
                  fmt::format("outcomes of partition {}: from {} on, of {} to {}", p,
                              start.record.value, held.begin.value, held.end.value));
    }
    if (Status begun = reader_->Start(Partition(p), start.record); !begun) return begun;
    next_.push_back(start.event);
    next_record_.push_back(start.record);
    end_at_start_.push_back(held.end);
  }
  live_.Start(deployment.placement, next_);
  LookWhetherCaughtUp();
  return {};
}

Status OutcomeReading::Take(const LogBatch& batch) {
  std::vector<Outcome> outcomes;
  const auto step = [&] {
    if (outcomes.empty()) return;
    live_.Advance(outcomes);
    outcomes.clear();
    moved_();
  };
  for (const LogRecord& record : batch.records) {
    const auto p = static_cast<std::size_t>(record.partition.value);
    Result<std::optional<Outcome>> outcome = Expect(record, next_[p]);
    if (!outcome) return Forward(outcome);
    next_record_[p] = Next(record.offset);
    if (!*outcome) {
      repeats_.Add(1);
      continue;
    }
    next_[p] = Next(next_[p]);
    outcomes.push_back(**std::move(outcome));
    if (outcomes.size() == kStepMax) step();
  }
  step();
  LookWhetherCaughtUp();
  return {};
}

void OutcomeReading::LookWhetherCaughtUp() {
  if (caught_up_) return;
  caught_up_ = std::ranges::equal(next_record_, end_at_start_, std::ranges::greater_equal());
}

// By the generations that are read now: those it began with may be gone.
void OutcomeReading::TrimRecentMoves() {
  const Result<Deployment> deployment = board_.Current();
  if (!deployment) return;
  for (std::int32_t p = 0; p < deployment->placement.partitions(); ++p) {
    live_.Trim(Partition(p), board_.Slowest(streams::kRelations, Partition(p), *deployment));
  }
}

}  // namespace fanfold::reader
