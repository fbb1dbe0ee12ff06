#include "reader/position_poller.h"

#include <map>
#include <optional>
#include <utility>

#include "common/base/logging.h"
#include "common/base/pause.h"

namespace fanfold {
namespace {

// One line when something breaks and one when it is well again.
class ChangeLog {
 public:
  ChangeLog(std::string_view what, std::int32_t number) : what_(what), number_(number) {}

  void Say(const Status& status) {
    if (status.has_value() == well_) return;
    well_ = status.has_value();
    if (well_) {
      LogInfo("answers", {{"what", what_}, {"number", number_}});
    } else {
      LogWarning("does not answer",
                 {{"what", what_}, {"number", number_}, {"why", status.error().message}});
    }
  }

 private:
  std::string_view what_;
  std::int32_t number_;
  std::optional<bool> well_;
};

// One shard, as its thread sees it.
class ShardLook {
 public:
  ShardLook(Shard shard, PositionBoard& board, LiveLists& live, const ReaderFactory& factory,
            Gauge& repairs_shown, const Clock& clock)
      : shard_(shard),
        board_(board),
        live_(live),
        factory_(factory),
        repairs_shown_(repairs_shown),
        clock_(clock) {}

  Status Look() {
    if (!reader_) {
      Result<std::unique_ptr<ProjectionReader>> opened = factory_(shard_);
      if (!opened) return Forward(opened);
      reader_ = *std::move(opened);
    }
    Result<std::vector<LaneStatus>> lanes = reader_->Lanes();
    if (!lanes) return Forward(lanes);
    if (WentBack(*lanes)) {
      live_.Restored(shard_);
      repair_mark_ = 0;
      repairs_ = 0;
    }
    board_.SetLanes(shard_, *std::move(lanes));
    if (clock_.SteadyMs() < changes_due_ms_) return {};
    changes_due_ms_ = clock_.SteadyMs() + PositionPoller::kChangesPollMs;
    if (shard_ == Shard(0)) LookAtCatalog();
    LookAtAnswers();
    return LookAtRepairs();
  }

 private:
  // Rows from before: the tables were restored.
  bool WentBack(const std::vector<LaneStatus>& lanes) {
    bool back = false;
    for (const LaneStatus& status : lanes) {
      const Offset now = status.progress.event_offset;
      Offset& known = known_[status.lane];
      back = back || now < known;
      known = now;
    }
    return back;
  }

  void LookAtCatalog() {
    const Result<Catalog> catalog = reader_->ReadCatalog();
    board_.SetCatalog(catalog);
    if (catalog) live_.SetRead(catalog->read);
  }

  // Told at the second failure: a generation that was retired a moment ago may be asked for once.
  void LookAtAnswers() {
    const Status answers = TryView();
    const bool failed_before = std::exchange(view_failed_, !answers);
    if (!answers && !failed_before) return;
    board_.SetAnswers(shard_, answers);
    answers_.Say(answers);
  }

  // Asks for lists as a reader does, of nobody: what is missing shows before a user is refused.
  Status TryView() {
    constexpr UserId kNobody(0);
    const Result<Deployment> deployment = board_.Current();
    if (!deployment) return {};
    const std::vector<ListQuestion> pages = {{ProjectionKind::kFollowing, {}, 1, {}},
                                             {ProjectionKind::kFans, {}, 1, {}}};
    const Result<UserView> view = reader_->View(deployment->read, kNobody, Partition(0), pages);
    if (!view) return std::unexpected(view.error());
    return {};
  }

  Status LookAtRepairs() {
    while (true) {
      const Result<std::vector<RepairRow>> repairs =
          reader_->RepairsAfter(repair_mark_, PositionPoller::kRepairsMax);
      if (!repairs) return std::unexpected(repairs.error());
      for (const RepairRow& repair : *repairs) {
        live_.Repaired(shard_, repair);
        repair_mark_ = repair.mark;
      }
      repairs_ += repairs->size();
      repairs_shown_.Set(static_cast<double>(repairs_));
      if (repairs->size() < PositionPoller::kRepairsMax) return {};
      // A mark may have more rows than those that were read.
      live_.DropShard(shard_);
    }
  }

  const Shard shard_;
  PositionBoard& board_;
  LiveLists& live_;
  const ReaderFactory& factory_;
  Gauge& repairs_shown_;
  const Clock& clock_;
  std::unique_ptr<ProjectionReader> reader_;
  std::map<LaneId, Offset> known_;
  std::uint64_t repair_mark_ = 0;
  std::size_t repairs_ = 0;
  std::int64_t changes_due_ms_ = 0;
  bool view_failed_ = false;
  ChangeLog answers_{"tables of shard", shard_.value};
};

}  // namespace

PositionPoller::PositionPoller(PositionBoard& board, LiveLists& live, ReaderFactory factory,
                               EventLog& log, Metrics& metrics, const Clock& clock)
    : board_(board),
      live_(live),
      factory_(std::move(factory)),
      log_(log),
      metrics_(metrics),
      clock_(clock) {
  for (std::int32_t shard = 0; shard < board_.shards(); ++shard) {
    threads_.emplace_back(
        [this, shard](const std::stop_token& stop) { PollShard(Shard(shard), stop); });
  }
  threads_.emplace_back([this](const std::stop_token& stop) { PollEnds(stop); });
}

PositionPoller::~PositionPoller() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void PositionPoller::PollShard(Shard shard, const std::stop_token& stop) {
  Gauge& repairs = metrics_.GetGauge(
      "fanfold_reader_repairs",
      "Rows and counts that were mended, by whomever, of which the tables keep a record",
      {{"shard", std::to_string(shard.value)}});
  ShardLook shard_look(shard, board_, live_, factory_, repairs, clock_);
  ChangeLog changes("shard", shard.value);
  while (!stop.stop_requested()) {
    const Status looked = shard_look.Look();
    if (!looked) board_.SetShardFailed(shard, looked.error().message);
    changes.Say(looked);
    board_.WaitForTurn(shard, kPollMs, kWatchedPollMs, stop);
  }
}

void PositionPoller::PollEnds(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<Deployment> deployment = board_.Current();
    if (deployment) {
      board_.EndsRoundOver(LookAtEnds(deployment->placement.partitions(), stop));
      ShowLag(*deployment);
      ShowGenerations();
      ShowLanes();
    }
    PauseUnlessStopped(kPollMs, stop);
  }
}

bool PositionPoller::LookAtEnds(std::int32_t partitions, const std::stop_token& stop) {
  const Result<std::vector<LogBounds>> bounds = log_.AllBounds(Topic::kEvents, partitions);
  if (!bounds) return false;
  for (std::int32_t p = 0; p < partitions; ++p) {
    board_.ObserveEnd(Partition(p), (*bounds)[static_cast<std::size_t>(p)].end);
  }
  for (std::int32_t p = 0; p < partitions && !stop.stop_requested(); ++p) {
    const Partition partition(p);
    if (const std::optional<Offset> event = board_.Unaged(partition)) LearnAge(partition, *event);
  }
  return true;
}

void PositionPoller::LearnAge(Partition partition, Offset event) {
  constexpr std::int64_t kRecordTimeoutMs = 500;
  if (!records_) {
    Result<std::unique_ptr<LogReader>> opened = log_.NewReader(Topic::kEvents);
    if (!opened) return;
    records_ = *std::move(opened);
  }
  if (!records_->Start(partition, event)) return;
  const Result<LogBatch> batch = records_->Poll(1, kRecordTimeoutMs);
  records_->Stop(partition);
  if (!batch || batch->records.empty() || batch->records.front().offset != event) return;
  const std::int64_t age_ms = clock_.NowMs() - batch->records.front().appended_ms;
  board_.Learn(partition, event, std::max<std::int64_t>(0, age_ms));
}

void PositionPoller::ShowLag(const Deployment& deployment) {
  for (const ProjectionKind projection : {ProjectionKind::kFollowing, ProjectionKind::kFans}) {
    std::vector<LanesRead> lanes;
    lanes.reserve(static_cast<std::size_t>(board_.shards()));
    for (std::int32_t shard = 0; shard < board_.shards(); ++shard) {
      lanes.push_back({projection, Shard(shard), std::nullopt});
    }
    metrics_
        .GetGauge("fanfold_reader_lag_ms",
                  "Age of the oldest event not yet in the tables that are read, milliseconds",
                  {{"projection", std::string(ToString(projection))}})
        .Set(static_cast<double>(board_.LagOf(lanes, deployment).ms));
  }
}

// A rebuild's way to the log's end, among others.
void PositionPoller::ShowGenerations() {
  metrics_.GetGauge("fanfold_reader_log_events", "Events in the log, of all partitions")
      .Set(static_cast<double>(board_.EventsInLog()));
  events_held_.Show(metrics_, board_.EventsHeld());
  const PositionTable::Loads loads = board_.LoadsUnderWay();
  load_done_.Show(metrics_, loads.done);
  load_total_.Show(metrics_, loads.total);
}

void PositionPoller::ShowLanes() {
  PositionTable::LaneCounts counts = board_.LanesByState();
  for (const ProjectionKind projection : {ProjectionKind::kFollowing, ProjectionKind::kFans}) {
    for (const LaneState state : {LaneState::kRunning, LaneState::kPaused, LaneState::kHalted}) {
      metrics_
          .GetGauge("fanfold_reader_lanes", "Lanes on all shards, by state",
                    {{"projection", std::string(ToString(projection))},
                     {"state", std::string(ToString(state))}})
          .Set(static_cast<double>(counts[{projection, state}]));
    }
  }
}

}  // namespace fanfold
