#include <fmt/format.h>
#include <utility>

#include "common/sql/lane_orders.h"
#include "common/sql/requirements.h"
#include "common/sqlite/lane_rows.h"
#include "common/sqlite/sqlite_store.h"
#include "common/sqlite/sqlite_tables.h"
#include "common/sqlite/table_repair.h"

namespace fanfold {
namespace sqlite {
namespace {

class SqliteTableOperations final : public TableOperations {
 public:
  explicit SqliteTableOperations(std::shared_ptr<SqliteTables> tables)
      : tables_(std::move(tables)) {}

  Status Pause(const LaneId& lane, const std::string& reason) override {
    return Order(lane, [&](LaneRow row) { return Paused(std::move(row), reason); });
  }
  Status Resume(const LaneId& lane) override { return Order(lane, Resumed); }
  Status Rewind(const LaneId& lane, Offset to) override {
    return Order(lane, [&](LaneRow row) { return Rewound(std::move(row), to); });
  }

  Status DropParked(Projection projection, Partition partition, Offset offset) override {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t) {
      const std::int64_t dropped = connection.Execute(
          "DELETE FROM parked WHERE projection = ?1 AND `partition` = ?2 AND record_offset = ?3",
          ToString(projection), partition.value, offset.value);
      if (dropped == 0) {
        throw Failure(ErrorCode::kNotFound,
                      fmt::format("nothing is parked at {}:{}", partition.value, offset.value));
      }
    });
  }

  Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                            const FoldAgain& fold) override {
    CheckRepair(scope, base);
    RepairDone done;
    Status repaired = tables_->WriteDurably([&](Connection& connection, std::int64_t now_ms) {
      done = RepairRows(connection, scope, base, fold, now_ms);
      return done.mark != 0;
    });
    if (!repaired) return Forward(repaired);
    return done;
  }

 private:
  template <class Change>
  Status Order(const LaneId& lane, const Change& change) {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t now_ms) {
      std::vector<LaneRow> rows = ReadLanes(connection, std::span(&lane, 1));
      if (rows.empty()) throw Failure(ErrorCode::kNotFound, NoLane(lane));
      WriteLane(connection, change(std::move(rows.front())), now_ms);
    });
  }

  const std::shared_ptr<SqliteTables> tables_;
};

}  // namespace
}  // namespace sqlite

std::unique_ptr<TableOperations> NewSqliteTableOperations(std::shared_ptr<SqliteTables> tables) {
  return std::make_unique<sqlite::SqliteTableOperations>(std::move(tables));
}

}  // namespace fanfold
