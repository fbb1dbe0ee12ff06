// Has the reader come as far as a read asks, and how far behind the log is what it answers?
// Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/stream/position.h"
#include "reader/cache/reader_position.h"
#include "reader/freshness/lanes_read.h"
#include "reader/freshness/position_board.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// The needs of a min_position. The reader has to have passed the positions. Instead the lanes have
// to have applied them where the reader's position in their stream is not known, or where the rows
// are those of tables, too far behind to be brought to the reader's position.
struct PositionNeed {
  std::vector<StreamPosition> positions;
  std::vector<LaneNeed> lanes;
  bool in_tables = false;
};

// Nothing blocks but FreshLagOfTables and LookAtLanes.
class PositionGate {
 public:
  // Lanes seen longer ago than this are read again before a lag is told that may be over.
  static constexpr std::int64_t kLanesFreshMs = 20;

  // Board and positions outlive this.
  PositionGate(PositionBoard& board, const ReaderPositions& readers)
      : board_(board), readers_(readers) {}

  [[nodiscard]] bool Reached(const PositionNeed& need) const;
  // Have the lanes applied the positions, wherever the reader stands?
  [[nodiscard]] bool ReachedInTables(const PositionNeed& need) const {
    return board_.Reached(need.lanes);
  }
  // In words: the first position that is not reached, and the lag. Empty when all are.
  [[nodiscard]] std::string Missing(const PositionNeed& need) const;
  // Has the lanes of the need looked at more often, until Unwatch. False, and nothing is watched:
  // the reader's position alone decides.
  [[nodiscard]] bool Watch(const PositionNeed& need) {
    if (AllAtReader(need)) return false;
    board_.Watch(need.lanes, +1);
    return true;
  }
  void Unwatch(const PositionNeed& need) { board_.Watch(need.lanes, -1); }

  // Has the reader lately passed all that the stream held when it was last seen? Then nothing lags
  // at the reader's position.
  [[nodiscard]] bool IsAtEnd(Stream stream, const Deployment& deployment) const;
  // The lag of rows at the reader's position, in ms; where that is not known, the lag of the
  // tables.
  [[nodiscard]] Lag LagAtReader(std::span<const LanesRead> lanes,
                                const Deployment& deployment) const;
  // The lag of the tables. Where the last look shows one, lanes not seen within kLanesFreshMs are
  // read again first, which blocks for a question to each shard.
  [[nodiscard]] Lag FreshLagOfTables(std::span<const LanesRead> lanes, const Deployment& deployment,
                                     ShardedReader& tables);
  // Reads where the shards' lanes stand, for the board. Errors: those of ProjectionReader.
  [[nodiscard]] Status LookAtLanes(std::span<const LanesRead> lanes, ShardedReader& tables);

 private:
  [[nodiscard]] bool IsFollowed(Stream stream) const {
    return readers_[stream] != nullptr && readers_[stream]->running();
  }
  [[nodiscard]] bool AtReader(const PositionNeed& need, Stream stream) const {
    return !need.in_tables && IsFollowed(stream);
  }
  [[nodiscard]] bool AllAtReader(const PositionNeed& need) const;
  // The lanes of streams whose positions the tables have to have reached.
  [[nodiscard]] std::vector<LaneNeed> NeededOfTables(const PositionNeed& need) const;
  // In words; empty when the reader has passed the position.
  [[nodiscard]] std::string MissingAtReader(const StreamPosition& asked) const;
  [[nodiscard]] Lag LagAtReader(const LanesRead& read, const Deployment& deployment) const;
  [[nodiscard]] Status LookAtLanesOn(Shard shard, ShardedReader& tables);

  PositionBoard& board_;
  const ReaderPositions readers_;
};

}  // namespace fanfold::reader
