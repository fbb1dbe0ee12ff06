#include "projector/runtime/projector.h"

#include <utility>

#include "common/base/logging.h"
#include "common/base/pause.h"
#include "projector/runtime/shard_thread.h"
#include "projector/runtime/shard_workers.h"

namespace fanfold::projector {

Projector::Projector(const Fold& fold, std::int32_t shards, std::string owner, ProjectorPorts ports)
    : fold_(fold), shards_count_(shards), owner_(std::move(owner)), ports_(std::move(ports)) {}

Projector::~Projector() { Stop(); }

Result<std::shared_ptr<ShardThread>> Projector::NewThread(Shard shard,
                                                          const FoldedGeneration& folded) const {
  Result<Placement> placement = ports_.placement_of(folded.slot_map);
  if (!placement) return Forward(placement);
  Result<std::unique_ptr<LaneStore>> store = ports_.new_store(shard);
  if (!store) return Forward(store);
  return std::make_shared<ShardThread>(std::make_unique<ShardWorker>(
      fold_, WorkPlace{*std::move(placement), shard, folded.generation}, owner_,
      WorkerPorts{ports_.log, std::move(*store), ports_.clock, ports_.metrics}));
}

Status Projector::Start(PartitionOwnership& ownership) {
  for (std::int32_t s = 0; s < shards_count_; ++s) {
    const Shard shard(s);
    Result<std::unique_ptr<LaneStore>> store = ports_.new_store(shard);
    if (!store) return Forward(store);
    auto workers = std::make_unique<ShardWorkers>(
        fold_.projection(), shard, std::move(*store),
        [this, shard](const FoldedGeneration& folded) { return NewThread(shard, folded); },
        [this] { return ports_.generation_read(fold_.projection()); });
    const std::scoped_lock lock(mutex_);
    shards_.push_back(std::move(workers));
  }
  log_watch_ = std::jthread([this](const std::stop_token& stop) { WatchLog(stop); });
  ownership_ = &ownership;
  return ownership.Join({[this](std::span<const Partition> gained) { Gained(gained); },
                         [this](std::span<const Partition> lost) { Lost(lost); }});
}

void Projector::Stop() {
  if (ownership_ != nullptr) ownership_->Leave();
  ownership_ = nullptr;
  log_watch_ = {};
  std::vector<std::unique_ptr<ShardWorkers>> stopping;
  const std::scoped_lock lock(mutex_);
  stopping.swap(shards_);
}

void Projector::WatchLog(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Status reached = ports_.log.Ping(kPingTimeoutMs);
    if (!reached) reached = Fail(reached.error().code, "log: " + reached.error().message);
    {
      const std::scoped_lock lock(mutex_);
      log_reached_ = std::move(reached);
    }
    PauseUnlessStopped(kLogLookMs, stop);
  }
}

Status Projector::Health() const {
  const std::scoped_lock lock(mutex_);
  if (!log_reached_) return log_reached_;
  if (shards_.empty()) return Fail(ErrorCode::kUnavailable, "not started");
  for (const auto& shard : shards_) {
    if (Status health = shard->Health(); !health) return health;
  }
  if (!has_joined_) return Fail(ErrorCode::kUnavailable, "not told its partitions yet");
  return {};
}

bool Projector::Owns(Partition partition) const {
  const std::scoped_lock lock(mutex_);
  return owned_.contains(partition);
}

void Projector::Gained(std::span<const Partition> partitions) {
  {
    const std::scoped_lock lock(mutex_);
    owned_.insert(partitions.begin(), partitions.end());
    has_joined_ = true;
  }
  for (const auto& shard : shards_) shard->Gain(partitions);
}

void Projector::Lost(std::span<const Partition> partitions) {
  {
    const std::scoped_lock lock(mutex_);
    for (const Partition partition : partitions) owned_.erase(partition);
  }
  std::vector<ShardWorkers::Losing> losing;
  losing.reserve(shards_.size());
  for (const auto& shard : shards_) losing.push_back(shard->Lose(partitions));
  for (std::size_t i = 0; i < losing.size(); ++i) {
    for (const auto& [thread, ticket] : losing[i]) {
      if (thread->WaitFor(ticket, kLoseTimeoutMs)) continue;
      LogWarning("partitions were lost while a batch was in work", {{"shard", i}});
    }
  }
}

}  // namespace fanfold::projector
