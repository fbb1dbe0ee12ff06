#include "reader/position_poller.h"

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
  ShardLook(Shard shard, PositionBoard& board, const ReaderFactory& factory, const Clock& clock)
      : shard_(shard), board_(board), factory_(factory), clock_(clock) {}

  Status Look() {
    if (!reader_) {
      Result<std::unique_ptr<ProjectionReader>> opened = factory_(shard_);
      if (!opened) return Forward(opened);
      reader_ = *std::move(opened);
    }
    Result<std::vector<LaneStatus>> lanes = reader_->Lanes();
    if (!lanes) return Forward(lanes);
    board_.SetLanes(shard_, *std::move(lanes));
    const bool due = clock_.SteadyMs() >= catalog_due_ms_;
    if (shard_ == Shard(0) && due) {
      board_.SetCatalog(reader_->ReadCatalog());
      catalog_due_ms_ = clock_.SteadyMs() + PositionPoller::kCatalogPollMs;
    }
    return {};
  }

 private:
  const Shard shard_;
  PositionBoard& board_;
  const ReaderFactory& factory_;
  const Clock& clock_;
  std::unique_ptr<ProjectionReader> reader_;
  std::int64_t catalog_due_ms_ = 0;
};

}  // namespace

PositionPoller::PositionPoller(PositionBoard& board, ReaderFactory factory, EventLog& log,
                               Metrics& metrics, const Clock& clock)
    : board_(board), factory_(std::move(factory)), log_(log), metrics_(metrics), clock_(clock) {
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
  ShardLook shard_look(shard, board_, factory_, clock_);
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
    }
    PauseUnlessStopped(kPollMs, stop);
  }
}

bool PositionPoller::LookAtEnds(std::int32_t partitions, const std::stop_token& stop) {
  for (std::int32_t p = 0; p < partitions && !stop.stop_requested(); ++p) {
    const Partition partition(p);
    const Result<LogBounds> bounds = log_.Bounds(Topic::kEvents, partition);
    if (!bounds) return false;
    board_.ObserveEnd(partition, bounds->end);
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

}  // namespace fanfold
