// A projection's work beside its lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/random.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/stream/slot.h"

namespace fanfold {
class ProjectionReader;
class TableSnapshot;
}  // namespace fanfold

namespace fanfold::projector {

// How a task reaches the deployment; called on its thread. All outlive it.
struct TaskPorts {
  EventLog& log;
  std::function<Result<std::unique_ptr<ProjectionReader>>(Shard)> open_reader;
  std::function<Result<std::unique_ptr<TableSnapshot>>(Shard)> open_snapshot;
  std::function<Result<std::unique_ptr<LaneStore>>(Shard)> open_store;
  Shape shape;  // what the others can open
  // Is the partition this process's now? Any thread may ask.
  std::function<bool(Partition)> owns;
  const Clock& clock;
  Metrics& metrics;
  std::uint64_t process_bits = RandomBits();  // of the events that it appends
};

// It works until it is destroyed, which blocks for as long as a call of the ports may take.
class Task {
 public:
  virtual ~Task() = default;
};

}  // namespace fanfold::projector
