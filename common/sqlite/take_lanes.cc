#include "common/sqlite/take_lanes.h"

#include "common/sql/generation_rules.h"
#include "common/sql/lane_fences.h"
#include "common/sqlite/lane_extras.h"
#include "common/sqlite/lane_rows.h"

namespace fanfold::sqlite {
namespace {

// Where two generations decide about one of these partitions, both are halted.
void HaltTwoDeciders(Connection& connection, Projection projection, std::span<const LaneId> lanes,
                     std::int64_t now_ms, std::span<TakenLane> taken) {
  const std::vector<LaneId> halted = SharingDeciders(ReadDeciders(connection, projection, lanes));
  HaltLanes(connection, halted, halt_reasons::kTwoDeciders.name(), now_ms);
  SayTwoDeciders(halted, taken);
}

}  // namespace

std::vector<TakenLane> TakeLanes(Connection& connection, std::span<const LaneId> lanes,
                                 bool new_decide, const std::string& owner, std::int64_t now_ms) {
  const std::vector<LaneId> sorted = SortedUnique(lanes);
  if (sorted.empty()) return {};
  Transaction transaction(connection, Access::kWrites);
  const std::vector<LaneId> missing = WithoutRow(sorted, ReadLanes(connection, sorted));
  if (!missing.empty()) CheckFolded(GenerationRows(connection), missing);
  for (const auto& [projection, made] : DecidingLanes(missing)) {
    const auto applying = DecidedByAnother(made, ReadDeciders(connection, projection, made));
    AddLanes(connection, applying, kApplying, now_ms);
  }
  AddLanes(connection, missing, new_decide, now_ms);  // of those that have none yet
  std::vector<LaneRow> rows = ReadLanes(connection, sorted);
  std::vector<TakenLane> taken = TakenOver(sorted, rows);
  for (const auto& [projection, deciding] : DecidingLanes(sorted)) {
    HaltTwoDeciders(connection, projection, deciding, now_ms, taken);
  }
  WriteFences(connection, taken, owner, now_ms);
  ReadOutbox(connection, taken);
  transaction.Commit();
  return taken;
}

}  // namespace fanfold::sqlite
