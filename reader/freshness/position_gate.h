// Has the reader come as far as a read asks, and how far behind the log is what it answers?
// Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/stream/position.h"
#include "reader/cache/live_lists.h"
#include "reader/freshness/lanes_read.h"
#include "reader/freshness/position_board.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// What a min_position asks for. The reader's position has to have passed the positions; where its
// position is not known, or the rows are those of tables that lag too far to be brought to it, the
// lanes have to have applied them.
struct PositionNeed {
  std::vector<Position> positions;
  std::vector<LaneNeed> lanes;
  bool in_tables = false;
};

// Nothing blocks but FreshLagOfTables and LookAtLanes.
class PositionGate {
 public:
  // Lanes observed longer ago than this are read again before a lag is told that may be over.
  static constexpr std::int64_t kLanesFreshMs = 20;

  // Both outlive this.
  PositionGate(PositionBoard& board, const LiveLists& live) : board_(board), live_(live) {}

  [[nodiscard]] bool Reached(const PositionNeed& need) const;
  // Have the tables of every lane, wherever the reader stands?
  [[nodiscard]] bool ReachedInTables(const PositionNeed& need) const {
    return board_.Reached(need.lanes);
  }
  // In words: the first position that is not reached, and the lag. Empty when all are.
  [[nodiscard]] std::string Missing(const PositionNeed& need) const;
  // While somebody waits for lanes, and not for the reader, they are looked at more often. False:
  // it is the reader's position.
  [[nodiscard]] bool Watch(const PositionNeed& need) {
    if (AtReader(need)) return false;
    board_.Watch(need.lanes, +1);
    return true;
  }
  void Unwatch(const PositionNeed& need) { board_.Watch(need.lanes, -1); }

  // Has the reader passed all that the log held when it was last seen, lately? Then nothing lags at
  // the reader's position.
  [[nodiscard]] bool IsAtLogsEnd(const Deployment& deployment) const;
  // The lag of rows at the reader's position, in ms.
  [[nodiscard]] Lag LagAtReader(std::span<const LanesRead> lanes,
                                const Deployment& deployment) const;
  // The lag of the tables as they were last seen, or, where it may be over, as they are now. Blocks
  // for a question to each shard.
  [[nodiscard]] Lag FreshLagOfTables(std::span<const LanesRead> lanes, const Deployment& deployment,
                                     ShardedReader& tables);
  // Reads where the shards' lanes stand. Errors: those of ProjectionReader.
  [[nodiscard]] Status LookAtLanes(std::span<const LanesRead> lanes, ShardedReader& tables);

 private:
  [[nodiscard]] bool AtReader(const PositionNeed& need) const {
    return !need.in_tables && live_.running();
  }
  [[nodiscard]] Status LookAtLanesOn(Shard shard, ShardedReader& tables);

  PositionBoard& board_;
  const LiveLists& live_;
};

}  // namespace fanfold::reader
