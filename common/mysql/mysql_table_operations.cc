#include <fmt/format.h>
#include <utility>

#include "common/mysql/lane_rows.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/table_repair.h"
#include "common/sql/lane_orders.h"
#include "common/sql/requirements.h"

namespace fanfold {
namespace mysql {
namespace {

class MysqlTableOperations final : public TableOperations {
 public:
  MysqlTableOperations(Dsn dsn, const MysqlOptions& options)
      : connection_(std::move(dsn), LimitsOf(options), options.check) {}

  Status Pause(const LaneId& lane, const std::string& reason) override {
    return Order(lane, [&](LaneRow row) { return Paused(std::move(row), reason); });
  }
  Status Resume(const LaneId& lane) override { return Order(lane, Resumed); }
  Status Rewind(const LaneId& lane, Offset to) override {
    return Order(lane, [&](LaneRow row) { return Rewound(std::move(row), to); });
  }

  Status DropParked(Projection projection, Partition partition, Offset offset) override {
    return connection_.Run([&] {
      if (connection_.Execute(DeleteParked(projection, partition, offset), Phase::kCommits) == 0) {
        throw Failure(ErrorCode::kNotFound,
                      fmt::format("nothing is parked at {}:{}", partition.value, offset.value));
      }
    });
  }

  Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                            const FoldAgain& fold) override {
    CheckRepair(scope, base);
    return connection_.Run([&] {
      Transaction transaction(connection_);
      RepairDone done = RepairRows(connection_, scope, base, fold);
      if (done.mark != 0) transaction.Commit();
      return done;
    });
  }

 private:
  template <class Change>
  Status Order(const LaneId& lane, const Change& change) {
    return connection_.Run([&] {
      Transaction transaction(connection_);
      Rows rows = connection_.Query(SelectLanes(std::span(&lane, 1), " FOR UPDATE"));
      if (!rows.Next()) throw Failure(ErrorCode::kNotFound, NoLane(lane));
      connection_.Execute(WriteLane(change(ReadLaneRow(rows))));
      transaction.Commit();
    });
  }

  Connection connection_;
};

}  // namespace
}  // namespace mysql

Result<std::unique_ptr<TableOperations>> NewMysqlTableOperations(const std::string& dsn,
                                                                 const MysqlOptions& options) {
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, options);
  if (!parsed) return Forward(parsed);
  return std::make_unique<mysql::MysqlTableOperations>(std::move(*parsed), options);
}

}  // namespace fanfold
