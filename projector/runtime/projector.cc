#include "projector/runtime/projector.h"

#include <utility>

#include "common/base/logging.h"
#include "projector/runtime/shard_thread.h"

namespace fanfold {

Projector::Projector(const Projection& projection, const Placement& placement,
                     const std::string& owner, EventLog& log,
                     std::vector<std::unique_ptr<ProjectionStore>> stores, const Clock& clock,
                     ProjectorMetrics& metrics) {
  for (std::size_t shard = 0; shard < stores.size(); ++shard) {
    const WorkPlace place{placement, Shard(static_cast<std::int32_t>(shard)), Generation(1)};
    threads_.push_back(std::make_unique<ShardThread>(std::make_unique<ShardWorker>(
        projection, place, owner, WorkerPorts{log, std::move(stores[shard]), clock, metrics})));
  }
}

Projector::~Projector() { Stop(); }

Status Projector::Start(PartitionOwnership& ownership) {
  for (const auto& thread : threads_) {
    if (Status started = thread->Start(); !started) return started;
  }
  ownership_ = &ownership;
  return ownership.Join({[this](std::span<const Partition> gained) { Gained(gained); },
                         [this](std::span<const Partition> lost) { Lost(lost); }});
}

void Projector::Stop() {
  if (ownership_ != nullptr) ownership_->Leave();
  ownership_ = nullptr;
  for (const auto& thread : threads_) thread->Stop();
}

Status Projector::Health() const {
  for (const auto& thread : threads_) {
    if (Status health = thread->Health(); !health) return health;
  }
  return {};
}

void Projector::Gained(std::span<const Partition> partitions) {
  for (const auto& thread : threads_) thread->Gain(partitions);
}

void Projector::Lost(std::span<const Partition> partitions) {
  std::vector<std::uint64_t> tickets;
  tickets.reserve(threads_.size());
  for (const auto& thread : threads_) tickets.push_back(thread->Lose(partitions));
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (!threads_[i]->WaitFor(tickets[i], kLoseTimeoutMs)) {
      LogWarning("partitions were lost while a batch was in work", {{"shard", i}});
    }
  }
}

}  // namespace fanfold
