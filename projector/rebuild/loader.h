// Loads a generation that nobody folds yet. It reads what is applied of all partitions from the
// beginning, collapses each chunk to the rows it leaves, and writes these in the order of the
// table's key. It writes rows alone: the rest of the tables is made when all is loaded. It holds
// the fences of its lanes and moves them chunk by chunk, so a loader that was killed goes on where
// it was, and a second one ends the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/stream/slot.h"
#include "projector/runtime/fold.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold::projector {

struct LoaderPorts {
  EventLog& log;
  std::function<Result<std::unique_ptr<LaneStore>>(Shard)> new_store;
  Placement placement;
  ScanPace& pace;
};

struct LoadTask {
  Generation generation{1};
  // The shards to load; on the others the generation is folded already.
  std::vector<Shard> shards;
  std::string owner;
  // By partition: the events below it are loaded. Empty: all there are.
  std::vector<Offset> until;
  // Memory for the rows of one chunk: five million edges. Rows that fit into one chunk are written
  // in the order of the key from end to end, which is the fastest way there is.
  std::size_t chunk_bytes_max = 200'000'000;
};

class Loader {
 public:
  // The fold outlives it.
  Loader(LoaderPorts ports, const Fold& fold, LoadTask task)
      : ports_(std::move(ports)),
        projection_(fold.projection()),
        load_(fold.NewLoad(ports_.placement)),
        task_(std::move(task)) {}

  // Loads up to the ends that the topic has when it begins, or to `until`. Errors: kFenced,
  // somebody else loads it; kRefused, the topic cannot be read from its beginning to its end, or
  // ends below `until`; kTimeout, the pace said stop; the ports'. Blocks as long as it takes.
  [[nodiscard]] Status LoadAll();

 private:
  struct LoadedShard {
    Shard shard;
    std::unique_ptr<LaneStore> store;
    std::vector<TakenLane> lanes;
  };

  [[nodiscard]] Status TakeShards();
  // The progress of this partition's lane that is furthest behind.
  [[nodiscard]] LaneProgress Slowest(Partition partition) const;
  [[nodiscard]] Status Begin(LogReader& reader, Partition partition, const LogBounds& held);
  [[nodiscard]] Status ReadAll(LogReader& reader);
  [[nodiscard]] Status TakeAll(const LogBatch& batch, LogReader& reader);
  // True when what it says is to be kept.
  [[nodiscard]] Result<bool> Take(const LogRecord& record,
                                  const std::expected<Decided, Unreadable>& said,
                                  LaneProgress& reached);
  // Has all that is asked for been read?
  [[nodiscard]] bool IsEnough(Partition partition, const LaneProgress& reached) const;
  [[nodiscard]] bool IsAtItsEnd(Partition partition) const;
  [[nodiscard]] Status CheckUntil(Partition partition, const LaneProgress& reached) const;
  [[nodiscard]] Status WriteChunk();
  [[nodiscard]] Status WriteShard(LoadedShard& to);
  [[nodiscard]] Status Commit(LoadedShard& to, const RowWrites& rows, std::vector<LaneMove> moves);

  LoaderPorts ports_;
  const Projection projection_;
  const std::unique_ptr<FoldLoad> load_;
  const LoadTask task_;
  std::vector<LoadedShard> shards_;
  std::map<Partition, Offset> ends_;  // of the partitions that are being read
  std::map<Partition, LaneProgress> reached_;
};

}  // namespace fanfold::projector
