#include "projector/runtime/shard_worker.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"
#include "common/base/logging.h"
#include "common/ports/applied_reader.h"
#include "projector/runtime/recovery.h"

namespace fanfold::projector {
namespace {

// Measures its own life into a histogram.
class Stopwatch {
 public:
  explicit Stopwatch(Histogram& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    seconds_.Observe(taken.count());
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  Histogram& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool Fits(std::span<const LogRecord> records) {
  if (records.size() == 1) return true;
  std::size_t bytes = 0;
  for (const LogRecord& record : records) {
    bytes += record.key.value_or("").size() + record.value.value_or("").size();
  }
  return bytes <= kBatchBytesMax;
}

}  // namespace

ShardWorker::ShardWorker(const Fold& fold, const WorkPlace& place, std::string owner,
                         WorkerPorts ports)
    : fold_(fold),
      place_(place),
      owner_(std::move(owner)),
      ports_(std::move(ports)),
      open_fold_(fold.Open(*ports_.store, place_, ports_.clock)),
      marks_(ports_.log),
      relay_(CutOf(fold.projection().stream())) {}

ShardWorker::~ShardWorker() { Show(0, 0); }

Status ShardWorker::Open() {
  const Stream stream = fold_.projection().stream();
  Result<std::unique_ptr<LogReader>> events = ports_.log.NewReader(stream.events());
  if (!events) return Forward(events);
  Result<std::unique_ptr<LogReader>> outcomes =
      NewAppliedReader(ports_.log, stream, {.gather_ms = kGatherOutcomesMs});
  if (!outcomes) return Forward(outcomes);
  events_.reader = std::move(*events);
  outcomes_.reader = std::move(*outcomes);
  return OpenRelay();
}

void ShardWorker::Step(std::int64_t poll_ms) {
  if (!RelayStands()) return ports_.clock.SleepMs(poll_ms);
  TakeDue();
  LookAtLanes();
  TendDeciders();
  const bool reads_events = lanes_.Any(LanePhase::kDeciding);
  const bool reads_outcomes =
      lanes_.Any(LanePhase::kApplying) || lanes_.Any(LanePhase::kRecovering);
  std::size_t records = 0;
  if (reads_outcomes) records += FoldOutcomes(reads_events ? 0 : poll_ms);
  if (relay_.Full()) {
    (void)relay_.Flush(poll_ms);
  } else if (reads_events || !reads_outcomes) {
    records += FoldEvents(poll_ms);
  }
  FinishRecoveries();
  HaltLanes();
  NoteStarted();
  if (records == 0) CommitPublishedWhenIdle();
  Show(relay_.InFlight(), open_fold_->deleted_accounts());
}

// The series are of all workers of the projection.
void ShardWorker::Show(std::size_t outcomes, std::size_t deleted) {
  const auto show = [](Gauge& gauge, std::size_t& shown, std::size_t now) {
    if (now != shown) gauge.Add(static_cast<double>(now) - static_cast<double>(shown));
    shown = now;
  };
  show(ports_.metrics.outbox, outbox_shown_, outcomes);
  show(ports_.metrics.deleted_accounts, deleted_shown_, deleted);
}

std::optional<LogBatch> ShardWorker::Poll(Polled& polled, std::int64_t poll_ms) {
  Result<LogBatch> batch = polled.reader->Poll(records_max_, poll_ms);
  const std::int64_t stood_ms = GapMs(polled_ms_);
  if (batch && stood_ms > kStandstillMs) {
    batch = Fail(ErrorCode::kUnavailable, fmt::format("stood still for {} ms", stood_ms));
  }
  if (!batch) {
    ResetLanes(batch.error());
    return std::nullopt;
  }
  // The other one may be polled for minutes while this one is not: behind a full relay, say.
  polled.has_paused = GapMs(polled.at_ms) > kGapMs || polled.has_paused;
  if (stood_ms > kGapMs) events_.has_paused = outcomes_.has_paused = true;
  if (batch->records.empty()) return std::nullopt;
  if (std::exchange(polled.has_paused, false)) {
    (void)Proved(lanes_.All());
    polled_ms_ = polled.at_ms = ports_.clock.SteadyMs();
  }
  return std::move(*batch);
}

std::int64_t ShardWorker::GapMs(std::optional<std::int64_t>& polled_ms) const {
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  return now_ms - std::exchange(polled_ms, now_ms).value_or(now_ms);
}

std::size_t ShardWorker::FoldOutcomes(std::int64_t poll_ms) {
  const std::optional<LogBatch> polled = Poll(outcomes_, poll_ms);
  if (!polled) return 0;
  FoldApart(polled->records, &ShardWorker::ApplyRecords);
  return polled->records.size();
}

bool ShardWorker::ApplyRecords(std::span<const LogRecord> records) {
  std::vector<ParkedRow> parked;
  const std::unique_ptr<FoldBatch> batch = open_fold_->NewBatch();
  TakeOutcomes(lanes_, records, place_, *batch, parked);
  if (!Fill(*batch)) return true;
  batch->Apply();
  return Commit(batch.get(), std::move(parked), records.size());
}

void ShardWorker::FoldApart(std::span<const LogRecord> records, FoldRecords fold) {
  const bool fits = Fits(records);
  if (fits && (this->*fold)(records)) return;
  if (records.size() == 1) {
    if (Lane* lane = lanes_.Find(records.front().partition))
      lane->halt = halt_reasons::kBatchRefused;
    return;
  }
  const std::size_t half = records.size() / 2;
  if (!fits) records_max_ = std::min(records_max_, half);
  FoldApart(records.first(half), fold);
  FoldApart(records.subspan(half), fold);
}

// What an outbox holds beyond the topic's end was decided: it is in the rows before anything else
// is decided on top of them.
void ShardWorker::FoldOutboxes() {
  bool any = false;
  for (Lane* lane : lanes_.All()) {
    if (!lane->HasReadTopic()) continue;
    lane->halt = CheckOutbox(*lane);
    any = any || (!lane->halt && lane->OutboxIsAhead());
  }
  if (!any) return;
  const std::unique_ptr<FoldBatch> batch = open_fold_->NewBatch();
  TakeOutboxes(lanes_, records_max_, *batch);
  if (!Fill(*batch)) return;
  batch->Apply();
  if (Commit(batch.get(), {}, 0)) return;
  for (Lane* lane : lanes_.All()) {
    if (lane->HasReadTopic() && lane->OutboxIsAhead()) lane->halt = halt_reasons::kBatchRefused;
  }
}

std::size_t ShardWorker::FoldEvents(std::int64_t poll_ms) {
  if (const std::int64_t wait_ms = pace_.WaitMs(ports_.clock.SteadyMs()); wait_ms > 0) {
    ports_.clock.SleepMs(wait_ms);
  }
  const std::optional<LogBatch> polled = Poll(events_, poll_ms);
  if (!polled) return 0;
  const std::int64_t began_ms = ports_.clock.SteadyMs();
  FoldApart(polled->records, &ShardWorker::DecideRecords);
  pace_.Note(polled->records.size(), began_ms, ports_.clock.SteadyMs());
  return polled->records.size();
}

bool ShardWorker::DecideRecords(std::span<const LogRecord> records) {
  std::vector<ParkedRow> parked;
  const std::vector<TakenEvent> events = TakeEvents(lanes_, records);
  const std::unique_ptr<FoldBatch> batch = open_fold_->NewBatch();
  ReadEvents(events, *batch, parked);
  if (!Fill(*batch)) return true;
  OutcomeSink outcomes(events, place_.generation);
  batch->Decide(outcomes);
  return Commit(batch.get(), std::move(parked), records.size(), outcomes.counts());
}

bool ShardWorker::Fill(FoldBatch& batch) {
  if (!batch.NeedsRows()) return true;
  const Stopwatch watch(ports_.metrics.load_seconds);
  const Status filled = batch.Fill();
  if (!filled) BatchFailed(filled.error());
  return filled.has_value();
}

bool ShardWorker::Commit(FoldBatch* folded, std::vector<ParkedRow> parked, std::size_t records,
                         std::span<const OutcomeCount> decided) {
  NotePublished();
  LaneBatch batch = MovesOf(lanes_, fold_.projection(), place_);
  if (batch.moves.empty()) return true;
  if (folded != nullptr) batch.rows = &folded->Writes();
  batch.parked = std::move(parked);
  if (const Status status = CommitWithRetries(batch); !status) {
    if (status.error().code != ErrorCode::kInvalidArgument) {
      folded == nullptr ? ResetLanes(status.error()) : BatchFailed(status.error());
      return true;
    }
    LogWarning("batch refused", {{"records", static_cast<std::int64_t>(records)},
                                 {"error", status.error().message}});
    for (Lane* lane : lanes_.All()) lane->TakeBack();
    return false;
  }
  if (folded != nullptr) {
    folded->Committed();
    ports_.metrics.edges.Add(static_cast<double>(batch.rows->rows()));
  }
  if (records > 0) ports_.metrics.batch.Observe(static_cast<double>(records));
  ports_.metrics.records.Add(static_cast<double>(records));
  const auto erased = std::ranges::count(batch.parked, ParkReason::kErased, &ParkedRow::reason);
  ports_.metrics.parked.Add(static_cast<double>(std::ssize(batch.parked) - erased));
  for (const OutcomeCount& of : decided) ports_.metrics.CountOutcomes(of.kind, of.reason, of.count);
  Committed(records);
  return true;
}

Status ShardWorker::CommitWithRetries(const LaneBatch& batch) {
  Backoff wait(5, 100);
  for (int attempt = 1;; ++attempt) {
    Status status = [&] {
      const Stopwatch watch(ports_.metrics.commit_seconds);
      return ports_.store->Commit(batch);
    }();
    const bool again = !status && status.error().code == ErrorCode::kConflict;
    if (!again || attempt == kCommitAttemptsMax) return status;
    ports_.metrics.retries.Add(1);
    ports_.clock.SleepMs(wait.Next());
  }
}

void ShardWorker::BatchFailed(const Error& why) {
  if (why.code != ErrorCode::kFenced) records_max_ = std::max<std::size_t>(1, records_max_ / 2);
  ResetLanes(why);
}

void ShardWorker::Committed(std::size_t records) {
  if (records >= records_max_) {
    records_max_ = std::min(kRecordsMax, records_max_ + std::max<std::size_t>(1, records_max_ / 8));
  }
  retry_.Reset();
  health_ = {};
  last_work_ms_ = ports_.clock.SteadyMs();
  for (Lane* lane : lanes_.All()) {
    lane->progress = lane->draft;
    if (lane->repeats != 0) ports_.metrics.repeats.Add(static_cast<double>(lane->repeats));
    lane->repeats = 0;
    for (const OutboxRow& row : lane->decided) {
      const bool whole = relay_.Publish(*lane->flight, row, row.first);
      FANFOLD_CHECK(whole, "an outbox row made here is not well-formed");
    }
    lane->decided.clear();
  }
}

void ShardWorker::NotePublished() {
  for (Lane* lane : lanes_.All()) {
    const bool decides = lane->phase == LanePhase::kDeciding || lane->phase == LanePhase::kYielding;
    if (lane->flight == nullptr || !decides) continue;
    const RelayFlight::Published published = lane->flight->published();
    lane->draft.published_offset = published.event;
    lane->draft.outcome_offset = published.outcome;
    lane->draft.applied_mark = published.last;
  }
}

void ShardWorker::CommitPublishedWhenIdle() {
  if (ports_.clock.SteadyMs() - last_work_ms_ < kIdleMs) return;
  (void)Commit(nullptr, {}, 0);
}

}  // namespace fanfold::projector
