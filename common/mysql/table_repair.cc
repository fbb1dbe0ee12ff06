#include "common/mysql/table_repair.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "common/mysql/edge_rows.h"
#include "common/mysql/index_names.h"
#include "common/mysql/lane_extras.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/row_tables.h"
#include "common/mysql/sql_text.h"
#include "common/sql/repair_run.h"

namespace fanfold::mysql {
namespace {

std::string SelectAllLanesForUpdate(Projection projection) {
  return fmt::format(
      "SELECT {} FROM progress FORCE INDEX ({}) WHERE projection = '{}' ORDER BY projection, "
      "generation, `partition` FOR UPDATE",
      kLaneColumns, kPrimaryIndex, ToString(projection));
}

std::string InsertRecords(const RepairScope& scope, std::uint64_t mark,
                          std::span<const RepairRecord> records) {
  std::string sql =
      "INSERT INTO repairs (mark, projection, generation, user_id, other_id, reason, detail, "
      "repaired_ms) VALUES ";
  AppendList(sql, records, ", ", [&](std::string& text, const RepairRecord& record) {
    fmt::format_to(std::back_inserter(text), "({}, '{}', {}, {}, {}, ", mark,
                   ToString(scope.projection), scope.generation.value, record.user.value,
                   record.other.value);
    AppendWords(text, scope.reason, kRepairReasonBytesMax);
    text += ", ";
    AppendWords(text, record.detail, kRepairDetailBytesMax);
    fmt::format_to(std::back_inserter(text), ", {})", kNowMs);
  });
  return sql;
}

class RepairedTables {
 public:
  RepairedTables(Connection& connection, const RepairScope& scope)
      : connection_(connection),
        generation_(scope.generation),
        rows_(NewRowTables(scope.projection, connection)),
        counts_(scope.projection.has_counts() ? TablesOf(scope.projection, generation_)
                                              : TableNames()) {}

  // Every lane of the shard by key: no batch commits until the transaction ends.
  std::vector<LaneRow> LockLanes() {
    std::vector<LaneRow> lanes;
    for (const Projection projection : Projection::All()) {
      Rows rows = connection_.Query(SelectAllLanesForUpdate(projection));
      while (rows.Next()) lanes.push_back(ReadLaneRow(rows));
    }
    return lanes;
  }
  void ReadOutbox(std::vector<TakenLane>& lanes) {
    if (lanes.empty()) return;
    Rows rows = connection_.Query(SelectOutbox(lanes));
    mysql::ReadOutbox(rows, lanes);
  }
  std::vector<RowState> StatesNow(std::span<const RowKey> keys) {
    return rows_->StatesOf(generation_, keys);
  }
  void WriteRows(const RepairPlan& plan) { rows_->Mend(generation_, plan); }
  std::vector<std::optional<EdgeCount>> CountsNow(std::span<const UserId> users) {
    std::vector<std::optional<EdgeCount>> counts(users.size());
    if (users.empty()) return counts;
    std::string sql;
    AppendSelectCounts(sql, counts_, users);
    Rows rows = connection_.Query(sql);
    while (rows.Next()) {
      const auto at = std::ranges::lower_bound(users, UserId(rows.U64(0))) - users.begin();
      counts[static_cast<std::size_t>(at)] = EdgeCount(rows.I64(1));
    }
    return counts;
  }
  bool RepairedSince(std::uint64_t mark, const RepairScope& scope) {
    if (scope.users.empty()) return false;
    std::string sql = fmt::format(
        "SELECT 1 FROM repairs FORCE INDEX ({}) WHERE mark > {} AND projection = '{}' AND "
        "generation = {} AND user_id IN (",
        kPrimaryIndex, mark, ToString(scope.projection), scope.generation.value);
    AppendList(sql, scope.users, ",",
               [](std::string& text, UserId user) { AppendNumber(text, user.value); });
    sql += ") LIMIT 1";
    return connection_.Query(sql).Next();
  }
  void WriteCounts(std::span<const CountNow> wrong) {
    for (const CountNow& count : wrong) {
      connection_.Execute(fmt::format("REPLACE INTO {} (user_id, n) VALUES ({}, {})",
                                      counts_.counts, count.user.value, count.active.value));
    }
  }
  // Marks grow in the order of the commits: every repair of the shard holds the same locks. From
  // the clock, so that those of tables restored from a backup are not given a second time.
  std::uint64_t AddRecords(const RepairScope& scope, std::span<const RepairRecord> records) {
    Rows rows = connection_.Query(
        fmt::format("SELECT GREATEST(COALESCE(MAX(mark), 0) + 1, {}) FROM repairs", kNowMs));
    const std::uint64_t mark = rows.Next() ? rows.U64(0) : 1;
    connection_.Execute(InsertRecords(scope, mark, records));
    return mark;
  }
  void Write(const LaneRow& lane) { connection_.Execute(WriteLane(lane)); }

 private:
  Connection& connection_;
  const Generation generation_;
  const std::unique_ptr<RowTables> rows_;
  const TableNames counts_;
};

}  // namespace

std::string WriteLane(const LaneRow& lane) {
  std::string sql = fmt::format(
      // Of the column before it is assigned; an earlier build moved that alone.
      "UPDATE progress SET folded_offset = GREATEST(folded_offset, event_offset), "
      "owner_epoch = {}, owner_nonce = {}, role = '{}', state = '{}', next_offset = {}, "
      "event_offset = {}, outcome_offset = {}, published_offset = {}, event_mark = {}, "
      "event_digest = {}, applied_mark = {}, applied_digest = {}, last_digest = {}, "
      "owner_connection = CONNECTION_ID(), updated_ms = {}, state_reason = ",
      lane.fence.epoch, lane.fence.nonce, RoleText(lane.deciding), ToString(lane.state),
      lane.progress.next_offset.value, lane.progress.event_offset.value,
      lane.progress.outcome_offset.value, lane.progress.published_offset.value,
      lane.progress.event_mark.offset.value, lane.progress.event_mark.digest,
      lane.progress.applied_mark.offset.value, lane.progress.applied_mark.digest,
      LastDigest(lane.progress, lane.deciding), kNowMs);
  AppendWords(sql, lane.state_reason, kStateReasonBytesMax);
  sql += " WHERE ";
  AppendLaneIs(sql, lane.lane);
  return sql;
}

std::string DeleteParked(Projection projection, Partition partition, Offset offset) {
  return fmt::format(
      "DELETE FROM parked WHERE projection = '{}' AND `partition` = {} AND record_offset = {}",
      ToString(projection), partition.value, offset.value);
}

RepairDone RepairRows(Connection& connection, const RepairScope& scope, const RepairBase& base,
                      const FoldAgain& fold) {
  RepairedTables tables(connection, scope);
  return RunRepair(tables, scope, base, fold);
}

}  // namespace fanfold::mysql
