#include "tests/simulation/processes.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "projector/folds.h"
#include "projector/runtime/shard_workers.h"
#include "tests/simulation/faulty_store.h"
#include "tests/simulation/watched_store.h"

namespace fanfold::simulation {
namespace {

constexpr std::size_t kWaitersMax = 8;

bool Contains(std::span<const FoldedGeneration> folded, Generation generation) {
  return std::ranges::find(folded, generation, &FoldedGeneration::generation) != folded.end();
}

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
    : ground_(ground),
      kind_(kind),
      life_(ground.nemesis, ground.random, others),
      log_(ground.adapters->log(), TroublesOf(ground, life_)),
      lying_log_(Without(ground.without, log_)),
      limit_(ground.limit),
      fold_(projector::NewFold(kind, limit_)) {
  Look();
}

void ProjectorProcess::Look() {
  look_ms_ = ground_.clock.SteadyMs() + projector::ShardWorkers::kLookMs;
  for (std::int32_t number = 0; number < kShards; ++number) {
    const Shard shard(number);
    const std::vector<FoldedGeneration> folded = ground_.Folded(kind_, shard);
    std::erase_if(workers_, [&](const Worker& worker) {
      return worker.shard == shard && !Contains(folded, worker.folded.generation);
    });
    for (const FoldedGeneration& one : folded) {
      const auto worker = std::ranges::find_if(workers_, [&](const Worker& there) {
        return there.shard == shard && there.folded.generation == one.generation;
      });
      if (worker == workers_.end()) {
        workers_.push_back(NewWorker(shard, one));
      } else {
        worker->folded = one;
      }
    }
  }
}

ProjectorProcess::Worker ProjectorProcess::NewWorker(Shard shard, const FoldedGeneration& folded) {
  Worker worker;
  worker.shard = shard;
  worker.folded = folded;
  worker.worker = std::make_unique<projector::ShardWorker>(
      *fold_, projector::WorkPlace{ground_.placement, shard, folded.generation}, "simulated",
      projector::WorkerPorts{lying_log_ ? *lying_log_ : log_, NewStore(shard), ground_.clock,
                             ground_.series.Of(kind_)});
  for (const Partition partition : owned_) worker.mail.push_back({true, partition});
  return worker;
}

std::unique_ptr<LaneStore> ProjectorProcess::NewStore(Shard shard) {
  WatchedStore::Watch watch;
  watch.committed = [this, shard](const LaneBatch& batch) {
    if (batch.projection == projections::kPosts) return ground_.oracle.AfterPosts(shard, batch);
    if (batch.projection == projections::kFeed) return ground_.oracle.AfterFeeds(shard, batch);
    if (!HoldsLists(batch.projection)) return ground_.oracle.AfterProfiles(shard, batch);
    ground_.oracle.AfterCommit(shard, batch, limit_);
  };
  watch.stopped = [this](const LaneId& lane, const std::string& reason) {
    if (ground_.swapped) return;
    ground_.oracle.Complain(
        fmt::format("{}/{} halts: {}", ToString(lane.projection), lane.partition.value, reason));
  };
  auto watched =
      std::make_unique<WatchedStore>(ground_.adapters->NewStore(shard), std::move(watch));
  // Protections are of the lanes of relations; what else keeps profiles right is its own.
  const bool lies = HoldsLists(kind_);
  auto store = Without(lies ? ground_.without : Protection::kNone, std::move(watched),
                       ground_.adapters->log(), ground_.lies[shard]);
  return std::make_unique<FaultyStore>(std::move(store), life_, ground_.nemesis,
                                       ground_.edges_a_call_max);
}

void ProjectorProcess::PostGain(Partition partition) {
  owned_.insert(partition);
  Post({true, partition});
}

void ProjectorProcess::PostLoss(Partition partition) {
  owned_.erase(partition);
  Post({false, partition});
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
  if (ground_.clock.SteadyMs() >= look_ms_) Look();
  Worker& worker = workers_.at(number % workers_.size());
  if (!Open(worker)) return;
  ReadMail(worker);
  worker.worker->OrderToDecide(worker.folded.to_decide);
  worker.worker->Step(0);
}

EraserProcess::EraserProcess(Ground& ground, const Others& others)
    : life_(ground.nemesis, ground.random, others),
      log_(ground.adapters->log(), TroublesOf(ground, life_)),
      eraser_(PortsOn(ground)) {}

projector::TaskPorts EraserProcess::PortsOn(Ground& ground) {
  const OnLanes on_lanes = [&ground](std::vector<LaneStatus>& lanes) {
    LieAbout(ground.without, ground.adapters->log(), lanes);
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
          ground.series.metrics,
          ground.random.Next()};
}

void EraserProcess::Step() {
  (void)eraser_.Round([](std::int64_t) { return true; });
}

ReaderProcess::ReaderProcess(Ground& ground, const Others& others)
    : life_(ground.nemesis, ground.random, others),
      deployment_{ground.placement, ground.Read()},
      service_(*this, deployment_) {
  for (std::int32_t shard = 0; shard < kShards; ++shard) {
    readers_.push_back(MakeFaulty(ground.adapters->NewReader(Shard(shard)), life_, ground.nemesis));
  }
}

}  // namespace fanfold::simulation
