#include <fmt/format.h>
#include <utility>

#include "common/sql/lane_orders.h"
#include "common/sql/lane_row.h"
#include "common/sql/requirements.h"
#include "common/sqlite/lane_extras.h"
#include "common/sqlite/lane_rows.h"
#include "common/sqlite/row_tables.h"
#include "common/sqlite/sqlite_store.h"
#include "common/sqlite/sqlite_tables.h"
#include "common/sqlite/table_repair.h"
#include "common/sqlite/take_lanes.h"

namespace fanfold {
namespace sqlite {
namespace {

void CommitBatch(Connection& connection, const LaneBatch& batch, std::int64_t now_ms) {
  Transaction transaction(connection, Access::kWrites);
  if (MoveLanes(connection, batch.moves, now_ms) != batch.moves.size()) {
    // The moves that matched are undone before the rows are looked at.
    transaction.RollBack();
    throw Failure(ErrorCode::kFenced,
                  WhyFenced(batch.moves, ReadLanes(connection, LanesOf(std::span(batch.moves)))));
  }
  if (batch.rows != nullptr) {
    NewRowTables(batch.projection)->Write(connection, *batch.rows, batch.generation);
  }
  AddParked(connection, batch.parked, now_ms);
  AddOutbox(connection, batch);
  if (batch.projection.decides()) DeletePublished(connection, batch.moves);
  transaction.Commit();
}

class SqliteLaneStore final : public LaneStore {
 public:
  explicit SqliteLaneStore(std::shared_ptr<SqliteTables> tables) : tables_(std::move(tables)) {}

  Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes, bool new_decide,
                                            const std::string& owner) override {
    return tables_->Write([&](Connection& connection, std::int64_t now_ms) {
      return TakeLanes(connection, lanes, new_decide, owner, now_ms);
    });
  }

  std::unique_ptr<RowStore> OpenRows(Projection projection, Generation generation) override {
    return NewRowTables(projection)->Open(tables_, generation);
  }

  Status Commit(const LaneBatch& batch) override {
    CheckBatch(batch);
    return tables_->Write([&](Connection& connection, std::int64_t now_ms) {
      CommitBatch(connection, batch, now_ms);
    });
  }

  Result<std::vector<FenceState>> FenceStatesOf(std::span<const LaneFence> held,
                                                const std::string& owner) override {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      return FenceStatesIn(ReadLanes(connection, LanesOf(held)), held, owner);
    });
  }

  Status SetState(const LaneId& lane, const Fence& fence, LaneState state,
                  const std::string& reason) override {
    // Nothing in the log would bring it back.
    return tables_->WriteDurably([&](Connection& connection, std::int64_t now_ms) {
      if (!SetLaneState(connection, {lane, fence}, state, reason, now_ms)) {
        throw Failure(ErrorCode::kFenced, fmt::format("lane {} has another owner", Describe(lane)));
      }
    });
  }

  Result<std::vector<FoldedGeneration>> Generations(Projection projection) override {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      std::vector<FoldedGeneration> generations;
      Statement select = connection.Prepare(
          "SELECT generation, decides, slot_map FROM generations WHERE projection = ?1 AND state = "
          "'folding' "
          "ORDER BY generation");
      select.Bind(ToString(projection));
      while (select.Next()) {
        generations.push_back(
            {Generation(select.I32(0)), select.I32(1) != 0, SlotMapId(select.I32(2))});
      }
      return generations;
    });
  }

  Status StopDeciding(const LaneId& lane, const Fence& fence) override {
    return tables_->Write([&](Connection& connection, std::int64_t now_ms) {
      Transaction transaction(connection, Access::kWrites);
      const std::vector<LaneRow> lanes = ReadLanes(connection, std::span(&lane, 1));
      if (lanes.empty()) throw Failure(ErrorCode::kFenced, NoLane(lane));
      std::vector<TakenLane> with_outbox(1);
      with_outbox.front().lane = lane;
      ReadOutbox(connection, with_outbox);
      const bool empty = with_outbox.front().outbox.empty();
      WriteLane(connection, StoppedDeciding(lanes.front(), fence, empty), now_ms);
      transaction.Commit();
    });
  }

  Result<bool> StartDeciding(const LaneId& lane, const Fence& fence) override {
    return tables_->Write([&](Connection& connection, std::int64_t now_ms) {
      Transaction transaction(connection, Access::kWrites);
      const auto decider = StartedDeciding(
          ReadLanesOfPartition(connection, lane.projection, lane.partition), lane, fence);
      if (!decider) return false;
      WriteLane(connection, *decider, now_ms);
      transaction.Commit();
      return true;
    });
  }

  void Release(std::span<const LaneFence> lanes) override {
    // Best effort: a name that stays is overwritten by the next owner's.
    (void)tables_->Write([&](Connection& connection, std::int64_t now_ms) {
      Transaction transaction(connection, Access::kWrites);
      ForgetOwner(connection, lanes, now_ms);
      transaction.Commit();
    });
  }

 private:
  const std::shared_ptr<SqliteTables> tables_;
};

}  // namespace
}  // namespace sqlite

std::unique_ptr<LaneStore> NewSqliteLaneStore(std::shared_ptr<SqliteTables> tables) {
  return std::make_unique<sqlite::SqliteLaneStore>(std::move(tables));
}

}  // namespace fanfold
