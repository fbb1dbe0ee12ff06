// Has the reader come as far as a read asks? Thread-safe; nothing blocks.
#pragma once

#include <string>
#include <vector>

#include "common/relation/position.h"
#include "reader/cache/live_lists.h"
#include "reader/freshness/lanes_read.h"
#include "reader/freshness/position_board.h"

namespace fanfold::reader {

// What a min_position asks for. R has to have passed the positions; where R is not known, or the
// rows are those of tables that lag too far to be brought to it, the lanes have to have applied
// them.
struct PositionNeed {
  std::vector<Position> positions;
  std::vector<LaneNeed> lanes;
  bool in_tables = false;
};

class PositionGate {
 public:
  // Both outlive this.
  PositionGate(PositionBoard& board, const LiveLists& live) : board_(board), live_(live) {}

  [[nodiscard]] bool Reached(const PositionNeed& need) const;
  // Have the tables of every lane, whatever R?
  [[nodiscard]] bool ReachedInTables(const PositionNeed& need) const {
    return board_.Reached(need.lanes);
  }
  // In words: the first position that is not reached, and the lag. Empty when all are.
  [[nodiscard]] std::string Missing(const PositionNeed& need) const;
  // While somebody waits for lanes, and not for R, they are looked at more often. False: it is R.
  [[nodiscard]] bool Watch(const PositionNeed& need) {
    if (AtR(need)) return false;
    board_.Watch(need.lanes, +1);
    return true;
  }
  void Unwatch(const PositionNeed& need) { board_.Watch(need.lanes, -1); }

 private:
  [[nodiscard]] bool AtR(const PositionNeed& need) const {
    return !need.in_tables && live_.running();
  }

  PositionBoard& board_;
  const LiveLists& live_;
};

}  // namespace fanfold::reader
