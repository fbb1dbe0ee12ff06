#include <algorithm>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "common/base/check.h"
#include "common/mysql/connection.h"
#include "common/mysql/edge_rows.h"
#include "common/mysql/lane_extras.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/row_file.h"
#include "common/mysql/table_repair.h"
#include "common/mysql/take_lanes.h"
#include "common/sql/lane_orders.h"
#include "common/sql/requirements.h"

namespace fanfold {
namespace mysql {
namespace {

// Ranges of lanes in one statement: they cost the server their number squared.
constexpr std::size_t kLaneRangesMax = 64;

// Calls `each` with consecutive pieces of at most `most` items.
template <class Item, class Each>
void InPieces(std::span<const Item> items, Each each, std::size_t most = kStatementRowsMax) {
  for (std::size_t at = 0; at < items.size(); at += most) {
    each(items.subspan(at, std::min(most, items.size() - at)));
  }
}

// Where `key` stands in the sorted `keys`. Rows come in key order nearly always: `hint`, where the
// last one stood, makes that a walk.
template <class Key>
std::size_t IndexOf(std::span<const Key> keys, const std::type_identity_t<Key>& key,
                    std::size_t hint) {
  while (hint < keys.size() && keys[hint] < key) ++hint;
  if (hint < keys.size() && keys[hint] == key) return hint;
  const auto found = std::ranges::lower_bound(keys, key);
  if (found == keys.end() || *found != key) {
    throw Failure(ErrorCode::kInternal, "the database gave a row that was not asked for");
  }
  return static_cast<std::size_t>(found - keys.begin());
}

class MysqlProjectionStore final : public ProjectionStore {
 public:
  MysqlProjectionStore(Dsn dsn, const MysqlOptions& options)
      : sends_files_(options.sends_files),
        connection_(std::move(dsn), LimitsOf(options), options.sends_files) {}

  Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes, bool new_decide,
                                            const std::string& owner) override {
    return connection_.Run([&] { return TakeLanes(connection_, lanes, new_decide, owner); });
  }

  Result<LoadedRows> Load(Projection projection, Generation generation,
                          std::span<const EdgeKey> edges, std::span<const UserId> users) override {
    CheckLoad(edges, users);
    return connection_.Run([&] {
      const TableNames tables = TablesOf(projection, generation);
      return LoadedRows{LoadEdges(tables, edges), LoadCounts(tables, users)};
    });
  }

  Result<std::optional<std::vector<EdgeRow>>> LoadLists(Projection projection,
                                                        Generation generation,
                                                        std::span<const UserId> users,
                                                        std::size_t rows_max) override {
    FANFOLD_CHECK(users.size() <= kBatchEdgesMax, fmt::format("{} users", users.size()));
    return connection_.Run(
        [&] { return SelectLists(TablesOf(projection, generation), users, rows_max); });
  }

  Status Commit(const StoreBatch& batch) override {
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
      while (rows.Next()) generations.push_back({Generation(rows.I32(0)), rows.I32(1) != 0});
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

  std::vector<Edge> LoadEdges(const TableNames& tables, std::span<const EdgeKey> keys) {
    std::vector<Edge> edges(keys.size());
    std::size_t at = 0;
    InPieces(keys, [&](std::span<const EdgeKey> piece) {
      sql_.clear();
      AppendSelectEdges(sql_, tables, piece);
      Rows rows = connection_.Query(sql_);
      while (rows.Next()) {
        at = IndexOf(keys, {UserId(rows.U64(0)), UserId(rows.U64(1))}, at);
        edges[at] = {rows.I64(2) != 0, rows.I64(3), Version(rows.I64(4))};
      }
    });
    return edges;
  }

  std::vector<EdgeCount> LoadCounts(const TableNames& tables, std::span<const UserId> users) {
    std::vector<EdgeCount> counts(users.size());
    std::size_t at = 0;
    InPieces(users, [&](std::span<const UserId> piece) {
      sql_.clear();
      AppendSelectCounts(sql_, tables, piece);
      Rows rows = connection_.Query(sql_);
      while (rows.Next()) {
        at = IndexOf(users, UserId(rows.U64(0)), at);
        counts[at] = EdgeCount(rows.I64(1));
      }
    });
    return counts;
  }

  std::optional<std::vector<EdgeRow>> SelectLists(const TableNames& tables,
                                                  std::span<const UserId> users,
                                                  std::size_t rows_max) {
    std::vector<EdgeRow> found;
    InPieces(users, [&](std::span<const UserId> piece) {
      if (found.size() > rows_max) return;
      sql_.clear();
      AppendSelectLists(sql_, tables, piece, rows_max + 1 - found.size());
      Rows rows = connection_.Query(sql_);
      while (rows.Next()) {
        found.push_back({{UserId(rows.U64(0)), UserId(rows.U64(1))},
                         {rows.I64(2) != 0, rows.I64(3), Version(rows.I64(4))}});
      }
    });
    if (found.size() > rows_max) return std::nullopt;
    std::ranges::sort(found, {}, &EdgeRow::key);
    return found;
  }

  void CommitBatch(const StoreBatch& batch) {
    const bool loads = batch.edges_are_newest && !batch.edges.empty() && TakesFiles();
    Transaction transaction(connection_, MoveLanes(batch.moves));
    if (transaction.matched() != batch.moves.size()) {
      transaction.RollBack();
      ThrowFenced(batch);
    }
    Bundle bundle(connection_);
    const TableNames tables = TablesOf(batch.projection, batch.generation);
    if (loads) {
      LoadRows(tables, batch.edges);
    } else {
      InPieces(std::span(batch.edges), [&](std::span<const EdgeRow> piece) {
        sql_.clear();
        AppendUpsertEdges(sql_, tables, piece);
        bundle.Add(sql_);
      });
    }
    InPieces(std::span(batch.parked),
             [&](std::span<const ParkedRow> piece) { bundle.Add(InsertParked(piece)); });
    InsertOutboxRows(batch, bundle);
    if (batch.projection.decides()) {
      InPieces(
          std::span(batch.moves),
          [&](std::span<const LaneMove> piece) { bundle.Add(DeletePublished(piece)); },
          kLaneRangesMax);
    }
    // Last, so that the rows of users whom many batches count are locked briefly.
    InPieces(std::span(batch.counts), [&](std::span<const CountWrite> piece) {
      sql_.clear();
      AppendMoveCounts(sql_, tables, piece);
      bundle.Add(sql_);
    });
    bundle.Send();
    transaction.Commit();
  }

  void InsertOutboxRows(const StoreBatch& batch, Bundle& bundle) {
    for (std::span<const OutboxRow> rest(batch.outbox); !rest.empty();) {
      std::size_t rows = 0;
      std::size_t bytes = 0;
      while (rows < rest.size() && bytes < kOutboxRowBytesMax)
        bytes += rest[rows++].outcomes.size();
      bundle.Add(InsertOutbox(batch.projection, rest.first(rows)));
      rest = rest.subspan(rows);
    }
  }

  bool TakesFiles() {
    if (!sends_files_) return false;
    Rows rows = connection_.Query("SELECT @@local_infile");
    return rows.Next() && rows.I64(0) == 1;
  }

  // What the server cannot store it warns of, and goes on.
  void LoadRows(const TableNames& tables, std::span<const EdgeRow> edges) {
    const RowFile file(edges);
    connection_.Execute(mysql::LoadEdges(tables, file.path()));
    Rows rows = connection_.Query("SELECT @@warning_count");
    if (rows.Next() && rows.I64(0) == 0) return;
    throw Failure(ErrorCode::kRefused,
                  fmt::format("{} rows were loaded with {} warnings", edges.size(), rows.I64(0)));
  }

  // Reads why; the moves that matched must have been undone.
  [[noreturn]] void ThrowFenced(const StoreBatch& batch) {
    throw Failure(ErrorCode::kFenced,
                  WhyFenced(batch.moves, ReadLanes(LanesOf(std::span(batch.moves)))));
  }

  const bool sends_files_;
  Connection connection_;
  std::string sql_;  // reused, so that its memory is
};

}  // namespace
}  // namespace mysql

Result<std::unique_ptr<ProjectionStore>> NewMysqlProjectionStore(const std::string& dsn,
                                                                 const MysqlOptions& options) {
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, options);
  if (!parsed) return Forward(parsed);
  return std::make_unique<mysql::MysqlProjectionStore>(std::move(*parsed), options);
}

}  // namespace fanfold
