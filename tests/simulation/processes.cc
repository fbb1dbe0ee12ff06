#include "tests/simulation/processes.h"

#include <fmt/format.h>
#include <utility>

#include "projector/folds.h"
#include "tests/simulation/faulty_store.h"
#include "tests/simulation/watched_store.h"

namespace fanfold::simulation {
namespace {

constexpr std::size_t kWaitersMax = 8;

LogTroubles TroublesOf(Ground& ground, Life& life) {
  return {life, ground.nemesis, ground.random, ground.transit, ground.clock};
}

}  // namespace

WriterProcess::WriterProcess(Ground& ground, const Others& others, std::uint64_t process_bits)
    : clock_(ground.clock),
      life_(ground.nemesis, ground.random, others),
      log_(ground.adapters->log(), TroublesOf(ground, life_)),
      waiters_(clock_, kWaitersMax),
      reading_(log_, kPartitions, waiters_),
      service_(waiters_, clock_, process_bits) {}

void WriterProcess::Step() {
  if (!connected_) Connect();
  (void)reading_.Step(0);
  waiters_.ExpireDue();
}

void WriterProcess::Connect() {
  Result<std::unique_ptr<LogAppender>> appender = log_.NewAppender(topics::kRelationEvents, {});
  if (!appender) return;
  service_.Connect(kPartitions, std::move(*appender));
  connected_ = true;
}

ProjectorProcess::ProjectorProcess(Ground& ground, Projection kind, const Others& others)
    : decider_(ground.decider),
      life_(ground.nemesis, ground.random, others),
      log_(ground.adapters->log(), TroublesOf(ground, life_)),
      lying_log_(Without(ground.without, log_)),
      limit_(ground.limit),
      fold_(projector::NewFold(kind, limit_)) {
  projector::ProjectorMetrics& series = ground.series.Of(kind);
  EventLog& log = lying_log_ ? *lying_log_ : log_;
  const std::vector<Generation> only_one = {kGeneration};
  for (const Generation generation : kind.decides() ? ground.generations : only_one) {
    for (std::int32_t number = 0; number < kShards; ++number) {
      const Shard shard(number);
      Worker& worker = workers_.emplace_back();
      worker.generation = generation;
      worker.worker = std::make_unique<projector::ShardWorker>(
          *fold_, projector::WorkPlace{ground.placement, shard, generation}, "simulated",
          projector::WorkerPorts{log, NewStore(ground, shard, kind), ground.clock, series});
    }
  }
}

std::unique_ptr<LaneStore> ProjectorProcess::NewStore(Ground& ground, Shard shard,
                                                      Projection kind) {
  WatchedStore::Watch watch;
  watch.committed = [this, &ground, shard](const LaneBatch& batch) {
    if (!HoldsLists(batch.projection)) return ground.oracle.AfterProfiles(shard, batch);
    ground.oracle.AfterCommit(shard, batch, limit_);
  };
  watch.stopped = [&ground](const LaneId& lane, const std::string& reason) {
    ground.oracle.Complain(
        fmt::format("{}/{} halts: {}", ToString(lane.projection), lane.partition.value, reason));
  };
  auto watched = std::make_unique<WatchedStore>(ground.adapters->NewStore(shard), std::move(watch));
  // Protections are of lanes that have outcomes; what else keeps profiles right is its own.
  const bool lies = HoldsLists(kind);
  auto store = Without(lies ? ground.without : Protection::kNone, std::move(watched),
                       ground.adapters->log(), ground.lies[shard]);
  return std::make_unique<FaultyStore>(std::move(store), life_, ground.nemesis,
                                       ground.edges_a_call_max);
}

void ProjectorProcess::Post(Letter letter) {
  for (Worker& worker : workers_) worker.mail.push_back(letter);
}

bool ProjectorProcess::Open(Worker& worker) {
  if (!worker.open) worker.open = worker.worker->Open().has_value();
  return worker.open;
}

void ProjectorProcess::ReadMail(Worker& worker) {
  while (!worker.mail.empty()) {
    const Letter letter = worker.mail.front();
    worker.mail.pop_front();
    const std::span<const Partition> one(&letter.partition, 1);
    letter.gained ? worker.worker->Gain(one) : worker.worker->Lose(one);
  }
}

void ProjectorProcess::ReadMail() {
  for (Worker& worker : workers_) {
    if (Open(worker)) ReadMail(worker);
  }
}

void ProjectorProcess::Step(std::size_t number) {
  Worker& worker = workers_.at(number);
  if (!Open(worker)) return;
  ReadMail(worker);
  worker.worker->OrderToDecide(worker.generation == decider_);
  worker.worker->Step(0);
}

EraserProcess::EraserProcess(Ground& ground, const Others& others)
    : life_(ground.nemesis, ground.random, others),
      log_(ground.adapters->log(), TroublesOf(ground, life_)),
      eraser_(PortsOn(ground)) {}

projector::TaskPorts EraserProcess::PortsOn(Ground& ground) {
  const OnLanes on_lanes = [&ground](std::vector<LaneStatus>& lanes) {
    LieAbout(ground.without, lanes);
  };
  return {log_,
          [this, &ground, on_lanes](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
            return MakeFaulty(ground.adapters->NewReader(shard), life_, ground.nemesis, nullptr,
                              on_lanes);
          },
          [&ground, on_lanes](Shard shard) -> Result<std::unique_ptr<TableSnapshot>> {
            return ground.adapters->NewSnapshot(shard, on_lanes);
          },
          [this, &ground](Shard shard) -> Result<std::unique_ptr<LaneStore>> {
            return std::make_unique<FaultyStore>(ground.adapters->NewStore(shard), life_,
                                                 ground.nemesis, ground.edges_a_call_max);
          },
          ground.placement.shape(),
          [](Partition) { return true; },
          ground.clock,
          ground.series.metrics};
}

void EraserProcess::Step() {
  (void)eraser_.Round([](std::int64_t) { return true; });
}

ReaderProcess::ReaderProcess(Ground& ground, const Others& others)
    : life_(ground.nemesis, ground.random, others),
      deployment_{ground.placement, {}},
      service_(*this, deployment_) {
  for (std::int32_t shard = 0; shard < kShards; ++shard) {
    readers_.push_back(MakeFaulty(ground.adapters->NewReader(Shard(shard)), life_, ground.nemesis));
  }
}

}  // namespace fanfold::simulation
