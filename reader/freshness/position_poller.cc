#include "reader/freshness/position_poller.h"

#include <optional>
#include <utility>

#include "common/base/pause.h"
#include "common/ports/deployment_check.h"
#include "reader/freshness/change_log.h"
#include "reader/freshness/shard_look.h"

namespace fanfold::reader {

PositionPoller::PositionPoller(PositionBoard& board, TableWatcher& tables, ReaderFactory factory,
                               EventLog& log, Metrics& metrics, const Clock& clock)
    : board_(board),
      tables_(tables),
      factory_(std::move(factory)),
      log_(log),
      metrics_(metrics),
      clock_(clock),
      lane_gauges_(metrics) {
  for (std::int32_t shard = 0; shard < board_.shape().shards; ++shard) {
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
      "Rows and counts that were mended, by whomever: the tables keep a record of each",
      {{"shard", std::to_string(shard.value)}});
  ShardLook shard_look(shard, board_, tables_, factory_, repairs, clock_);
  ChangeLog changes("shard", shard.value);
  while (!stop.stop_requested()) {
    const Status looked = shard_look.Look();
    if (!looked) board_.SetShardFailed(shard, looked.error());
    changes.Say(looked);
    board_.WaitForTurn(shard, kPollMs, kWatchedPollMs, stop);
  }
}

void PositionPoller::PollEnds(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<Deployment> deployment = board_.Current();
    if (deployment) {
      LookAtTopics(deployment->placement.partitions());
      LookAtAllEnds(deployment->placement.partitions(), stop);
      lane_gauges_.Show(board_.Stands(*deployment));
      ShowGenerations();
      ShowLanes();
    }
    PauseUnlessStopped(kPollMs, stop);
  }
}

void PositionPoller::LookAtTopics(std::int32_t partitions) {
  if (clock_.SteadyMs() < topics_due_ms_) return;
  topics_due_ms_ = clock_.SteadyMs() + kTopicsPollMs;
  std::string refused;
  for (const Topic topic : Topic::All()) {
    const Status fits = CheckTopic(log_, topic, partitions);
    const bool is_refused = !fits && fits.error().code == ErrorCode::kRefused;
    // A log that is away would keep each question waiting for its time out, and whoever stops us.
    if (!fits && !is_refused) return;
    if (is_refused && refused.empty()) refused = fits.error().message;
    const Result<std::int64_t> foreign = ForeignRecords(log_, topic, partitions);
    if (!foreign) return;
    metrics_
        .GetGauge(
            "fanfold_reader_foreign_records",
            "Records in partitions that the deployment has not: nobody decides or applies them",
            {{"topic", std::string(topic.name())}})
        .Set(static_cast<double>(*foreign));
  }
  board_.SetLogRefused(std::move(refused));
}

// A log that is away would keep the question for each further stream waiting for its time out.
void PositionPoller::LookAtAllEnds(std::int32_t partitions, const std::stop_token& stop) {
  for (const Stream stream : Stream::All()) {
    const bool whole = LookAtEnds(stream, partitions, stop);
    board_.EndsRoundOver(stream, whole);
    if (!whole || stop.stop_requested()) return;
  }
}

bool PositionPoller::LookAtEnds(Stream stream, std::int32_t partitions,
                                const std::stop_token& stop) {
  const Result<std::vector<LogBounds>> bounds = log_.AllBounds(stream.events(), partitions);
  if (!bounds) return false;
  for (std::int32_t p = 0; p < partitions; ++p) {
    board_.ObserveEnd(stream, Partition(p), (*bounds)[static_cast<std::size_t>(p)].end);
  }
  for (std::int32_t p = 0; p < partitions && !stop.stop_requested(); ++p) {
    const std::optional<Offset> event = board_.Unaged(stream, Partition(p));
    if (!event) continue;
    LearnAge({stream, {Partition(p), *event}}, (*bounds)[static_cast<std::size_t>(p)]);
  }
  return true;
}

// Of the first record that is left there: not every offset holds one.
void PositionPoller::LearnAge(StreamPosition event, const LogBounds& held) {
  constexpr std::int64_t kRecordTimeoutMs = 500;
  const auto [partition, offset] = event.position;
  std::unique_ptr<LogReader>& records = records_[event.stream];
  if (!records) {
    Result<std::unique_ptr<LogReader>> opened = log_.NewReader(event.stream.events());
    if (!opened) return;
    records = *std::move(opened);
  }
  if (!records->Start(partition, std::max(offset, held.begin))) return;
  const Result<LogBatch> batch = records->Poll(1, kRecordTimeoutMs);
  records->Stop(partition);
  if (!batch || batch->records.empty()) return;
  const std::int64_t age_ms = clock_.NowMs() - batch->records.front().appended_ms;
  board_.Learn(event.stream, partition, offset, std::max<std::int64_t>(0, age_ms));
}

// A rebuild's way to the log's end, among others.
void PositionPoller::ShowGenerations() {
  metrics_.GetGauge("fanfold_reader_log_events", "Events in the log, of all partitions")
      .Set(static_cast<double>(board_.EventsInLog(streams::kRelations)));
  events_held_.Show(metrics_, board_.EventsHeld());
  const PositionTable::Loads loads = board_.LoadsUnderWay();
  load_done_.Show(metrics_, loads.done);
  load_total_.Show(metrics_, loads.total);
}

void PositionPoller::ShowLanes() {
  PositionTable::LaneCounts counts = board_.LanesByState();
  for (const Projection projection : Projection::All()) {
    for (const LaneState state : {LaneState::kRunning, LaneState::kPaused, LaneState::kHalted}) {
      metrics_
          .GetGauge("fanfold_reader_lanes", "Lanes on all shards, by state",
                    {{"projection", std::string(ToString(projection))},
                     {"state", std::string(ToString(state))}})
          .Set(static_cast<double>(counts[{projection, state}]));
    }
  }
}

}  // namespace fanfold::reader
