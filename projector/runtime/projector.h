// A projector process: for each shard and generation a worker with its thread, fed by the ownership
// of partitions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/ports/partition_ownership.h"
#include "projector/runtime/fold.h"
#include "projector/runtime/projector_metrics.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {

class ShardWorkers;
class ShardThread;

// The ports that a projector stands on; all outlive it.
struct ProjectorPorts {
  EventLog& log;
  // A connection of its own at each call. Errors: kInvalidArgument.
  std::function<Result<std::unique_ptr<LaneStore>>(Shard)> new_store;
  // Shard 0's answer: where the generations of a slot map are, and which generation is read.
  std::function<Result<Placement>(SlotMapId)> placement_of;
  std::function<Result<Generation>(Projection)> generation_read;
  const Clock& clock;
  ProjectorMetrics& metrics;
};

class Projector {
 public:
  // How long a loss of partitions waits for the workers to let go; after that the fence alone keeps
  // their writes out.
  static constexpr std::int64_t kLoseTimeoutMs = 8'000;
  // How often the log is asked whether it is there, and for how long.
  static constexpr std::int64_t kLogLookMs = 1'000;
  static constexpr std::int64_t kPingTimeoutMs = 1'000;

  Projector(const Fold& fold, std::int32_t shards, std::string owner, ProjectorPorts ports);
  ~Projector();
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  // Starts the workers and joins. Errors: new_store's, the ownership's.
  [[nodiscard]] Status Start(PartitionOwnership& ownership);
  // Gives partitions back in order and stops the workers. Blocks for at most some 20 s.
  void Stop();

  // Is this partition ours now? Thread-safe, does not block.
  [[nodiscard]] bool Owns(Partition partition) const;

  // Ok when the log is there, this process has been told its partitions, and their lanes fold.
  // Thread-safe, does not block.
  [[nodiscard]] Status Health() const;

 private:
  [[nodiscard]] Result<std::shared_ptr<ShardThread>> NewThread(
      Shard shard, const FoldedGeneration& folded) const;
  void Gained(std::span<const Partition> partitions);
  void Lost(std::span<const Partition> partitions);
  void WatchLog(const std::stop_token& stop);

  const Fold& fold_;
  const std::int32_t shards_count_;
  const std::string owner_;
  const ProjectorPorts ports_;
  mutable std::mutex mutex_;
  // Changed by Start and Stop alone, which are not called beside Gained and Lost.
  std::vector<std::unique_ptr<ShardWorkers>> shards_;
  std::set<Partition> owned_;
  bool has_joined_ = false;
  PartitionOwnership* ownership_ = nullptr;
  // Brokers that are gone show nowhere else: a poll merely brings nothing.
  Status log_reached_;
  std::jthread log_watch_;  // last: it uses the others
};

}  // namespace fanfold::projector
