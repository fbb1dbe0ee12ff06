// What the simulated processes stand on. Another set of adapters is another implementation of this;
// all of it runs in the caller's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/ports/event_log.h"
#include "common/ports/generation_operations.h"
#include "common/ports/lane_store.h"
#include "common/ports/projection_reader.h"
#include "common/ports/table_operations.h"
#include "common/ports/table_snapshot.h"
#include "common/stream/slot.h"
#include "tests/support/memory_log.h"

namespace fanfold::simulation {

// Sees lanes as they are read, and may change them.
using OnLanes = std::function<void(std::vector<LaneStatus>&)>;

// One shard's tables as they stood at some time.
class Backup {
 public:
  virtual ~Backup() = default;
};

class Adapters {
 public:
  virtual ~Adapters() = default;

  [[nodiscard]] virtual testing::MemoryLog& log() = 0;
  [[nodiscard]] virtual std::unique_ptr<LaneStore> NewStore(Shard shard) = 0;
  [[nodiscard]] virtual std::unique_ptr<ProjectionReader> NewReader(Shard shard) = 0;
  // That tells of the lanes what `on_lanes` makes of them.
  [[nodiscard]] virtual std::unique_ptr<TableSnapshot> NewSnapshot(Shard shard,
                                                                   OnLanes on_lanes) = 0;

  // With `fences` repairs end the hold of the lanes' owners, as they must. Requires: real tables.
  [[nodiscard]] virtual std::unique_ptr<TableOperations> NewOperations(Shard shard,
                                                                       bool fences) = 0;
  // Requires: real tables.
  [[nodiscard]] virtual std::unique_ptr<GenerationOperations> NewGenerations(Shard shard) = 0;
  // As somebody does by hand; returns how many rows were changed. Requires: real tables.
  virtual std::int64_t Damage(Shard shard, const std::string& statement) = 0;

  // Up to where a lane's rows are told to be, and its outbox reaches; 0 without either.
  struct Reach {
    Offset rows;
    Offset outbox;
  };
  [[nodiscard]] virtual Reach ReachOf(Shard shard, const LaneId& lane) const = 0;

  // How many lanes of a partition decide.
  [[nodiscard]] virtual int DecidersOf(Shard shard, Projection projection,
                                       Partition partition) const = 0;
  // From now on whoever asks to decide does.
  virtual void LetAllDecide() = 0;
  // From now on of two rows of a profile it is the one written last that stays.
  virtual void LetOlderProfilesWin() = 0;

  // What operators do beside the ports. Who changes rows beside a lane ends its owner's hold:
  // Restore that of every lane of the shard, Rewind that of its own. Rewind requires: to ≤ its
  // rows.
  [[nodiscard]] virtual std::shared_ptr<const Backup> BackUp(Shard shard) = 0;  // null: it cannot
  virtual void Restore(Shard shard, const Backup& backup) = 0;
  virtual void Rewind(Shard shard, const LaneId& lane, Offset to) = 0;
};

[[nodiscard]] std::unique_ptr<Adapters> NewMemoryAdapters(const Placement& placement);
// Real tables, which can be operated on, some thirty times as slow. `clock` outlives them.
[[nodiscard]] std::unique_ptr<Adapters> NewSqliteAdapters(const Placement& placement,
                                                          const Clock& clock);

}  // namespace fanfold::simulation
