#include "common/sqlite/table_repair.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "common/sql/repair_run.h"
#include "common/sql/sql_text.h"
#include "common/sqlite/edge_rows.h"
#include "common/sqlite/lane_extras.h"
#include "common/sqlite/row_tables.h"

namespace fanfold::sqlite {
namespace {

// A transaction that writes is the only one: nobody moves a lane meanwhile.
class RepairedTables {
 public:
  RepairedTables(Connection& connection, const RepairScope& scope, std::int64_t now_ms)
      : connection_(connection),
        generation_(scope.generation),
        rows_(NewRowTables(scope.projection)),
        counts_(scope.projection.has_counts() ? TablesOf(scope.projection, generation_)
                                              : TableNames()),
        now_ms_(now_ms) {}

  std::vector<LaneRow> LockLanes() {
    std::vector<LaneRow> lanes;
    Statement select = connection_.Prepare(
        fmt::format("SELECT {} FROM progress WHERE {}", kLaneColumns, OfKnownLanes()));
    while (select.Next()) lanes.push_back(ReadLaneRow(select));
    return lanes;
  }
  void ReadOutbox(std::vector<TakenLane>& lanes) { sqlite::ReadOutbox(connection_, lanes); }
  std::vector<RowState> StatesNow(std::span<const RowKey> keys) {
    return rows_->StatesOf(connection_, generation_, keys);
  }
  void WriteRows(const RepairPlan& plan) { rows_->Mend(connection_, generation_, plan); }
  std::vector<std::optional<EdgeCount>> CountsNow(std::span<const UserId> users) {
    std::vector<std::optional<EdgeCount>> counts(users.size());
    Statement row = connection_.Prepare(SelectCountText(counts_));
    for (std::size_t i = 0; i < users.size(); ++i) {
      row.Bind(users[i].value);
      if (row.Next()) counts[i] = EdgeCount(row.I64(0));
    }
    return counts;
  }
  bool RepairedSince(std::uint64_t mark, const RepairScope& scope) {
    Statement select = connection_.Prepare(
        "SELECT user_id FROM repairs WHERE mark > ?1 AND projection = ?2 AND generation = ?3");
    select.Bind(mark, ToString(scope.projection), scope.generation.value);
    while (select.Next()) {
      if (std::ranges::binary_search(scope.users, UserId(select.U64(0)))) return true;
    }
    return false;
  }
  void WriteCounts(std::span<const CountNow> wrong) {
    for (const CountNow& count : wrong) {
      connection_.Execute(
          fmt::format("REPLACE INTO {} (user_id, n) VALUES (?1, ?2)", counts_.counts),
          count.user.value, count.active.value);
    }
  }
  std::uint64_t AddRecords(const RepairScope& scope, std::span<const RepairRecord> records) {
    const std::uint64_t mark = NextMark();
    const std::string reason = PrintableAscii(scope.reason, kRepairReasonBytesMax);
    for (const RepairRecord& record : records) {
      const std::string detail = PrintableAscii(record.detail, kRepairDetailBytesMax);
      connection_.Execute(
          "INSERT INTO repairs (mark, projection, generation, user_id, other_id, reason, detail, "
          "repaired_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
          mark, ToString(scope.projection), scope.generation.value, record.user.value,
          record.other.value, reason, Blob{detail}, now_ms_);
    }
    return mark;
  }
  void Write(const LaneRow& lane) { WriteLane(connection_, lane, now_ms_); }

 private:
  // From the clock, so that those of tables restored from a backup are not given a second time.
  std::uint64_t NextMark() {
    Statement select =
        connection_.Prepare("SELECT MAX(COALESCE(MAX(mark), 0) + 1, ?1) FROM repairs");
    select.Bind(now_ms_);
    return select.Next() ? select.U64(0) : 1;
  }

  Connection& connection_;
  const Generation generation_;
  const std::unique_ptr<const RowTables> rows_;
  const TableNames counts_;
  const std::int64_t now_ms_;
};

}  // namespace

void WriteLane(Connection& connection, const LaneRow& lane, std::int64_t now_ms) {
  const std::string reason = PrintableAscii(lane.state_reason, kStateReasonBytesMax);
  connection.Execute(
      // Of the columns as they were; an earlier build moved event_offset alone.
      "UPDATE progress SET folded_offset = max(folded_offset, event_offset), "
      "owner_epoch = ?4, owner_nonce = ?5, state = ?6, state_reason = ?7, "
      "next_offset = ?8, event_offset = ?9, outcome_offset = ?10, published_offset = ?11, "
      "last_digest = ?12, updated_ms = ?13, role = ?14, event_mark = ?16, event_digest = ?17, "
      "applied_mark = ?18, applied_digest = ?19 WHERE projection = ?1 AND generation = ?2 "
      "AND `partition` = ?3 AND stream = ?15",
      ToString(lane.lane.projection), lane.lane.generation.value, lane.lane.partition.value,
      lane.fence.epoch, lane.fence.nonce, ToString(lane.state), reason,
      lane.progress.next_offset.value, lane.progress.event_offset.value,
      lane.progress.outcome_offset.value, lane.progress.published_offset.value,
      LastDigest(lane.progress, lane.deciding), now_ms, RoleText(lane.deciding),
      lane.lane.stream.name(), lane.progress.event_mark.offset.value,
      lane.progress.event_mark.digest, lane.progress.applied_mark.offset.value,
      lane.progress.applied_mark.digest);
}

RepairDone RepairRows(Connection& connection, const RepairScope& scope, const RepairBase& base,
                      const FoldAgain& fold, std::int64_t now_ms) {
  RepairedTables tables(connection, scope, now_ms);
  return RunRepair(tables, scope, base, fold);
}

}  // namespace fanfold::sqlite
