#include "common/sql/repair_run.h"

namespace fanfold {

std::vector<TakenLane> LanesFenced(const RepairScope& scope) {
  std::vector<TakenLane> lanes;
  for (const Partition partition : scope.partitions) {
    lanes.emplace_back().lane = {scope.projection, scope.generation, partition};
  }
  return lanes;
}

std::vector<OutboxRow> OutboxOf(std::vector<TakenLane> lanes) {
  std::vector<OutboxRow> outbox;
  for (TakenLane& lane : lanes) std::ranges::move(lane.outbox, std::back_inserter(outbox));
  return outbox;
}

}  // namespace fanfold
