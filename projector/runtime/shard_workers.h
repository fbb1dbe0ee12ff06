// One shard's share of a projector: a worker with its thread for each generation that the shard's
// tables say is folded. The owner of a partition runs its lanes of every generation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane_store.h"
#include "projector/runtime/shard_thread.h"

namespace fanfold::projector {

class ShardWorkers {
 public:
  // How often the shard is asked for its generations. A new one is folded, and deciding is handed
  // over, within this and what the lanes take.
  static constexpr std::int64_t kLookMs = 1'000;

  using NewThread = std::function<Result<std::shared_ptr<ShardThread>>(const FoldedGeneration&)>;
  // The generation of the projection that the catalog reads. Blocks as a ProjectionReader does.
  using AskCatalog = std::function<Result<Generation>()>;

  // `store`: a connection for asking which generations there are. Starts at once; the functions are
  // called on its thread.
  ShardWorkers(Projection projection, Shard shard, std::unique_ptr<LaneStore> store,
               NewThread new_thread, AskCatalog ask_catalog);
  // Stops every worker; blocks for as long as they take.
  ~ShardWorkers();
  ShardWorkers(const ShardWorkers&) = delete;
  ShardWorkers& operator=(const ShardWorkers&) = delete;

  // All thread-safe.
  void Gain(std::span<const Partition> partitions);
  // Does not wait: returns the tickets to wait for, each with its thread.
  using Losing = std::vector<std::pair<std::shared_ptr<ShardThread>, std::uint64_t>>;
  [[nodiscard]] Losing Lose(std::span<const Partition> partitions);
  // Says why it does not work; ok when it does.
  [[nodiscard]] Status Health() const;

 private:
  void Run(const std::stop_token& stop);
  void Look();
  void CompareWithCatalog(std::span<const FoldedGeneration> generations);
  void Follow(std::span<const FoldedGeneration> generations);
  void Drop(std::span<const FoldedGeneration> kept);
  [[nodiscard]] std::shared_ptr<ShardThread> Running(Generation generation) const;
  [[nodiscard]] Status Tend(const FoldedGeneration& folded);
  void Say(Status looked);

  const Projection projection_;
  const Shard shard_;
  const std::unique_ptr<LaneStore> store_;
  const NewThread new_thread_;
  const AskCatalog ask_catalog_;
  std::vector<FoldedGeneration> compared_;  // those that the catalog had nothing against
  std::optional<Generation> lacked_;        // the generation that the last look lacked
  bool is_restored_ = false;                // the tables are older than what the catalog reads
  mutable std::mutex mutex_;
  std::set<Partition> owned_;
  std::map<Generation, std::shared_ptr<ShardThread>> threads_;
  Status looked_;
  std::jthread watch_;
};

}  // namespace fanfold::projector
