#include <algorithm>
#include <utility>
#include <vector>

#include "common/sql/lane_orders.h"
#include "tests/simulation/adapters.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_profiles.h"
#include "tests/support/memory_reader.h"
#include "tests/support/memory_store.h"

namespace fanfold::simulation {
namespace {

using testing::MemoryLane;
using testing::MemoryTables;

struct MemoryBackup final : Backup {
  explicit MemoryBackup(MemoryTables copied) : tables(std::move(copied)) {}
  MemoryTables tables;
};

class MemoryAdapters final : public Adapters {
 public:
  explicit MemoryAdapters(const Placement& placement)
      : placement_(placement),
        log_(placement.partitions()),
        tables_(static_cast<std::size_t>(placement.shards())) {}

  testing::MemoryLog& log() override { return log_; }
  std::unique_ptr<LaneStore> NewStore(Shard shard) override {
    return std::make_unique<testing::MemoryStore>(TablesOf(shard));
  }
  std::unique_ptr<ProjectionReader> NewReader(Shard shard) override {
    return std::make_unique<testing::MemoryReader>(TablesOf(shard), placement_, shard);
  }

  std::unique_ptr<TableSnapshot> NewSnapshot(Shard shard, OnLanes on_lanes) override {
    return std::make_unique<testing::MemorySnapshot>(TablesOf(shard), std::move(on_lanes));
  }

  std::shared_ptr<const Backup> BackUp(Shard shard) override {
    return std::make_shared<MemoryBackup>(TablesOf(shard));
  }
  void Restore(Shard shard, const Backup& backup) override {
    MemoryTables& tables = TablesOf(shard);
    const std::uint64_t nonces = tables.nonces;  // stand for random ones, which do not come again
    tables = dynamic_cast<const MemoryBackup&>(backup).tables;
    tables.nonces = nonces;
    for (auto& [id, lane] : tables.lanes) EndFence(tables, lane);
  }
  std::unique_ptr<TableOperations> NewOperations(Shard, bool) override { return nullptr; }
  std::unique_ptr<GenerationOperations> NewGenerations(Shard) override { return nullptr; }
  std::int64_t Damage(Shard, const std::string&) override { return 0; }

  Reach ReachOf(Shard shard, const LaneId& id) const override {
    const MemoryTables& tables = tables_[static_cast<std::size_t>(shard.value)];
    const auto found = tables.lanes.find(id);
    if (found == tables.lanes.end()) return {};
    const MemoryLane& lane = found->second;
    const bool decided = !lane.outbox.empty();
    return {lane.progress.event_offset, decided ? lane.outbox.rbegin()->second.next : Offset(0)};
  }
  int DecidersOf(Shard shard, Projection projection, Partition partition) const override {
    const auto& lanes = tables_[static_cast<std::size_t>(shard.value)].lanes;
    return static_cast<int>(std::ranges::count_if(lanes, [&](const auto& entry) {
      return entry.first.projection == projection && entry.first.partition == partition &&
             entry.second.deciding;
    }));
  }
  void LetAllDecide() override {
    for (MemoryTables& tables : tables_) tables.all_may_decide = true;
  }
  void LetOlderProfilesWin() override {
    for (MemoryTables& tables : tables_) tables.older_profiles_win = true;
  }
  void Rewind(Shard shard, const LaneId& id, Offset to) override {
    MemoryTables& tables = TablesOf(shard);
    MemoryLane& lane = tables.lanes.at(id);
    LaneRow row;
    row.lane = id;
    row.progress = lane.progress;
    lane.progress = Rewound(row, to).progress;
    EndFence(tables, lane);
  }

 private:
  static void EndFence(MemoryTables& tables, MemoryLane& lane) {
    lane.fence = {lane.fence.epoch + 1, ++tables.nonces};
  }
  [[nodiscard]] MemoryTables& TablesOf(Shard shard) {
    return tables_[static_cast<std::size_t>(shard.value)];
  }

  Placement placement_;
  testing::MemoryLog log_;
  std::vector<MemoryTables> tables_;
};

}  // namespace

std::unique_ptr<Adapters> NewMemoryAdapters(const Placement& placement) {
  return std::make_unique<MemoryAdapters>(placement);
}

}  // namespace fanfold::simulation
