// Loads a generation that nobody folds yet: the outcomes from the beginning, each chunk collapsed
// to the state it leaves its edges in, written in the order of the table's key. Rows alone: counts
// and the index for pages are made when all is loaded. Under the fence of its lanes, chunk by
// chunk, so that a loader that was killed goes on where it was, and a second one ends the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/projection_store.h"
#include "projector/runtime/projection.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold {

struct LoaderPorts {
  EventLog& log;
  std::function<Result<std::unique_ptr<ProjectionStore>>(Shard)> new_store;
  Placement placement;
  ScanPace& pace;
};

struct LoadTask {
  Generation generation{1};
  std::string owner;
  // By partition: what came of the events below it. Empty: of all that there are.
  std::vector<Offset> until;
  // Outcomes of one chunk; some 100 bytes of memory each.
  std::size_t chunk_outcomes_max = 1'000'000;
};

class Loader {
 public:
  // `projection` says whose row an edge is; it outlives the loader.
  Loader(LoaderPorts ports, const Projection& projection, LoadTask task)
      : ports_(std::move(ports)), projection_(projection), task_(std::move(task)) {}

  // Up to the ends that the outcomes have when each partition is begun, or to `until`. Errors:
  // kFenced, somebody else loads it; kRefused, the outcomes cannot be read from their beginning to
  // their end, or end below `until`; kTimeout, the pace said stop; the ports'. Blocks as long as it
  // takes.
  [[nodiscard]] Status LoadAll();

 private:
  struct Chunk {
    std::map<EdgeKey, Edge> rows;
    LaneProgress reached;
    std::size_t outcomes = 0;
  };
  struct LaneOnShard {
    Shard shard;
    ClaimedLane lane;
  };

  [[nodiscard]] Status OpenStores();
  [[nodiscard]] Status LoadPartition(Partition partition);
  [[nodiscard]] Result<std::vector<LaneOnShard>> Claim(Partition partition);
  // Of the lane that is furthest behind.
  [[nodiscard]] static const LaneProgress& Slowest(const std::vector<LaneOnShard>& lanes);
  // Outcomes below `end`, or those of the events that the task asks for.
  [[nodiscard]] Status Read(LogReader& reader, Partition partition, Offset end,
                            std::vector<LaneOnShard>& lanes);
  [[nodiscard]] bool IsEnough(Partition partition, const LaneProgress& reached) const;
  [[nodiscard]] Status CheckUntil(Partition partition, const LaneProgress& reached) const;
  [[nodiscard]] Status Take(const LogRecord& record, Chunk& chunk);
  [[nodiscard]] Status Write(Chunk& chunk, std::vector<LaneOnShard>& lanes);
  [[nodiscard]] Status WriteShard(std::vector<EdgeRow> rows, const LaneProgress& reached,
                                  LaneOnShard& lane);

  LoaderPorts ports_;
  const Projection& projection_;
  const LoadTask task_;
  std::vector<std::unique_ptr<ProjectionStore>> stores_;  // by shard
};

}  // namespace fanfold
