#include "common/sqlite/lane_claim.h"

#include "common/sql/generation_rules.h"
#include "common/sql/lane_claims.h"
#include "common/sqlite/lane_extras.h"
#include "common/sqlite/lane_rows.h"

namespace fanfold::sqlite {
namespace {

// Where two generations decide about one of these partitions, both are halted.
void HaltTwoDeciders(Connection& connection, Projection projection, std::span<const LaneId> lanes,
                     std::int64_t now_ms, std::span<ClaimedLane> claimed) {
  const std::vector<LaneId> halted = SharingDeciders(ReadDeciders(connection, projection, lanes));
  HaltLanes(connection, halted, kTwoDeciders, now_ms);
  SayTwoDeciders(halted, claimed);
}

}  // namespace

std::vector<ClaimedLane> ClaimLanes(Connection& connection, std::span<const LaneId> lanes,
                                    LaneRole role_of_new, const std::string& owner,
                                    std::int64_t now_ms) {
  const std::vector<LaneId> sorted = SortedUnique(lanes);
  if (sorted.empty()) return {};
  Transaction transaction(connection, Access::kWrites);
  const std::vector<LaneId> missing = WithoutRow(sorted, ReadLanes(connection, sorted));
  if (!missing.empty()) CheckFolded(GenerationRows(connection), missing);
  AddLanes(connection, missing, role_of_new, now_ms);
  std::vector<LaneRow> rows = ReadLanes(connection, sorted);
  std::vector<ClaimedLane> claimed = TakenOver(sorted, rows);
  for (const auto& [projection, deciding] : DecidingLanes(sorted)) {
    HaltTwoDeciders(connection, projection, deciding, now_ms, claimed);
  }
  TakeLanes(connection, claimed, owner, now_ms);
  ReadOutbox(connection, claimed);
  transaction.Commit();
  return claimed;
}

}  // namespace fanfold::sqlite
