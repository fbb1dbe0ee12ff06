// A projector process: one thread a shard, fed by the ownership of partitions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/partition_ownership.h"
#include "common/ports/projection_store.h"
#include "projector/runtime/projection.h"
#include "projector/runtime/projector_metrics.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold {

class ShardThread;

class Projector {
 public:
  // How long a loss of partitions waits for the workers to let go; then the fence has to do.
  static constexpr std::int64_t kLoseTimeoutMs = 8'000;

  // One store a shard, in shard order. The ports outlive the projector.
  Projector(const Projection& projection, const Placement& placement, const std::string& owner,
            EventLog& log, std::vector<std::unique_ptr<ProjectionStore>> stores, const Clock& clock,
            ProjectorMetrics& metrics);
  ~Projector();
  Projector(const Projector&) = delete;
  Projector& operator=(const Projector&) = delete;

  // Starts the workers and joins. Errors: the log's, the ownership's.
  [[nodiscard]] Status Start(PartitionOwnership& ownership);
  // Gives partitions back in order and stops the workers. Blocks for at most some 20 s.
  void Stop();

  // Ok when every worker can do its job. Thread-safe, does not block.
  [[nodiscard]] Status Health() const;

 private:
  void Gained(std::span<const Partition> partitions);
  void Lost(std::span<const Partition> partitions);

  std::vector<std::unique_ptr<ShardThread>> threads_;
  PartitionOwnership* ownership_ = nullptr;
};

}  // namespace fanfold
