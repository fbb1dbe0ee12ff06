#include "reader/freshness/position_gate.h"

#include <algorithm>
#include <fmt/format.h>

namespace fanfold::reader {

bool PositionGate::Reached(const PositionNeed& need) const {
  if (!AtR(need)) return ReachedInTables(need);
  return std::ranges::all_of(need.positions,
                             [&](Position position) { return live_.Passed(position); });
}

std::string PositionGate::Missing(const PositionNeed& need) const {
  if (!AtR(need)) return board_.Missing(need.lanes);
  for (const Position position : need.positions) {
    if (live_.Passed(position)) continue;
    const Offset next = live_.Next(position.partition).value_or(Offset(0));
    const Lag lag = board_.LagBehind(position.partition, next);
    return fmt::format(
        "{} was asked for, the outcomes of the events below {}:{} are in the answers; lag {} "
        "events, {} ms",
        ToString(position), position.partition.value, next.value, lag.events, lag.ms);
  }
  return "";
}

}  // namespace fanfold::reader
