#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/mysql/bundle.h"
#include "common/mysql/connection.h"
#include "common/mysql/lane_extras.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/row_tables.h"
#include "common/mysql/sql_text.h"
#include "common/mysql/table_repair.h"
#include "common/mysql/take_lanes.h"
#include "common/sql/lane_orders.h"
#include "common/sql/requirements.h"

namespace fanfold {
namespace mysql {
namespace {

// Ranges of lanes in one statement: they cost the server their number squared.
constexpr std::size_t kLaneRangesMax = 64;

class MysqlLaneStore final : public LaneStore {
 public:
  MysqlLaneStore(Dsn dsn, const MysqlOptions& options)
      : connection_(std::move(dsn), LimitsOf(options), options.check, options.sends_files) {}

  Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes, bool new_decide,
                                            const std::string& owner) override {
    return connection_.Run([&] { return TakeLanes(connection_, lanes, new_decide, owner); });
  }

  std::unique_ptr<RowStore> OpenRows(Projection projection, Generation generation) override {
    return RowsOf(projection).Open(generation);
  }

  Status Commit(const LaneBatch& batch) override {
    CheckBatch(batch);
    return connection_.Run([&] { CommitBatch(batch); });
  }

  Status SetState(const LaneId& lane, const Fence& fence, LaneState state,
                  const std::string& reason) override {
    return connection_.Run([&] {
      if (connection_.Execute(SetLaneState(lane, fence, state, reason), Phase::kCommits) == 0) {
        throw Failure(ErrorCode::kFenced, fmt::format("lane {} has another owner", Describe(lane)));
      }
    });
  }

  Result<std::vector<FenceState>> FenceStatesOf(std::span<const LaneFence> held,
                                                const std::string& owner) override {
    if (held.empty()) return std::vector<FenceState>();
    return connection_.Run([&] { return FenceStatesIn(ReadLanes(LanesOf(held)), held, owner); });
  }

  Result<std::vector<FoldedGeneration>> Generations(Projection projection) override {
    return connection_.Run([&] {
      std::vector<FoldedGeneration> generations;
      Rows rows = connection_.Query(SelectFoldedGenerations(projection));
      while (rows.Next()) {
        generations.push_back({Generation(rows.I32(0)), rows.I32(1) != 0, SlotMapId(rows.I32(2))});
      }
      return generations;
    });
  }

  Status StopDeciding(const LaneId& lane, const Fence& fence) override {
    return connection_.Run([&] {
      Transaction transaction(connection_);
      const std::vector<LaneRow> lanes = LockLanesOf(lane.projection, lane.partition);
      const auto own = std::ranges::find(lanes, lane, &LaneRow::lane);
      if (own == lanes.end()) throw Failure(ErrorCode::kFenced, NoLane(lane));
      connection_.Execute(WriteLane(StoppedDeciding(*own, fence, OutboxIsEmpty(lane))));
      transaction.Commit();
    });
  }

  Result<bool> StartDeciding(const LaneId& lane, const Fence& fence) override {
    return connection_.Run([&] {
      Transaction transaction(connection_);
      const auto decider =
          StartedDeciding(LockLanesOf(lane.projection, lane.partition), lane, fence);
      if (!decider) return false;
      connection_.Execute(WriteLane(*decider));
      transaction.Commit();
      return true;
    });
  }

  void Release(std::span<const LaneFence> lanes) override {
    if (lanes.empty()) return;
    // Best effort: a name that stays is overwritten by the next owner's.
    (void)connection_.Run([&] { connection_.Execute(ForgetOwner(lanes)); });
  }

 private:
  // Of every generation.
  std::vector<LaneRow> LockLanesOf(Projection projection, Partition partition) {
    std::vector<LaneRow> lanes;
    Rows rows = connection_.Query(SelectLanesOfPartitionForUpdate(projection, partition));
    while (rows.Next()) lanes.push_back(ReadLaneRow(rows));
    return lanes;
  }

  bool OutboxIsEmpty(const LaneId& lane) {
    std::vector<TakenLane> asked(1);
    asked.front().lane = lane;
    return !connection_.Query(SelectOutbox(asked)).Next();
  }

  std::vector<LaneRow> ReadLanes(std::span<const LaneId> lanes) {
    std::vector<LaneRow> now;
    Rows rows = connection_.Query(SelectLanes(lanes, ""));
    while (rows.Next()) now.push_back(ReadLaneRow(rows));
    return now;
  }

  RowTables& RowsOf(Projection projection) {
    std::unique_ptr<RowTables>& rows = rows_[projection];
    if (rows == nullptr) rows = NewRowTables(projection, connection_);
    return *rows;
  }

  void CommitBatch(const LaneBatch& batch) {
    Transaction transaction(connection_, MoveLanes(batch.moves));
    if (transaction.matched() != batch.moves.size()) {
      transaction.RollBack();
      ThrowFenced(batch);
    }
    Bundle bundle(connection_);
    if (batch.rows != nullptr)
      RowsOf(batch.projection).Write(*batch.rows, batch.generation, bundle);
    InPieces(std::span(batch.parked),
             [&](std::span<const ParkedRow> piece) { bundle.Add(InsertParked(piece)); });
    InsertOutboxRows(batch, bundle);
    if (batch.projection.decides()) {
      InPieces(
          std::span(batch.moves),
          [&](std::span<const LaneMove> piece) { bundle.Add(DeletePublished(piece)); },
          kLaneRangesMax);
    }
    if (batch.rows != nullptr) {
      RowsOf(batch.projection).WriteShared(*batch.rows, batch.generation, bundle);
    }
    bundle.Send();
    transaction.Commit();
  }

  void InsertOutboxRows(const LaneBatch& batch, Bundle& bundle) {
    for (std::span<const OutboxRow> rest(batch.outbox); !rest.empty();) {
      std::size_t rows = 0;
      std::size_t bytes = 0;
      while (rows < rest.size() && bytes < kOutboxRowBytesMax)
        bytes += rest[rows++].outcomes.size();
      bundle.Add(InsertOutbox(batch.projection, rest.first(rows)));
      rest = rest.subspan(rows);
    }
  }

  // Reads why; the moves that matched must have been undone.
  [[noreturn]] void ThrowFenced(const LaneBatch& batch) {
    throw Failure(ErrorCode::kFenced,
                  WhyFenced(batch.moves, ReadLanes(LanesOf(std::span(batch.moves)))));
  }

  Connection connection_;
  PerProjection<std::unique_ptr<RowTables>> rows_;
};

}  // namespace
}  // namespace mysql

Result<std::unique_ptr<LaneStore>> NewMysqlLaneStore(const std::string& dsn,
                                                     const MysqlOptions& options) {
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, options);
  if (!parsed) return Forward(parsed);
  return std::make_unique<mysql::MysqlLaneStore>(std::move(*parsed), options);
}

}  // namespace fanfold
