#include "common/mysql/edge_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "common/mysql/bundle.h"
#include "common/mysql/edge_rows.h"
#include "common/mysql/erasures.h"
#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
#include "common/mysql/row_file.h"
#include "common/mysql/sql_text.h"
#include "common/ports/edge_kind.h"
#include "common/ports/edge_store.h"
#include "common/sql/flagged_state.h"
#include "common/sql/profile_columns.h"
#include "common/sql/requirements.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {
namespace {

class MysqlEdges final : public EdgeStore {
 public:
  MysqlEdges(Connection& connection, TableNames tables)
      : connection_(connection), tables_(std::move(tables)) {}

  Result<LoadedRows> Load(std::span<const EdgeKey> edges, std::span<const UserId> users) override {
    CheckLoad(edges, users);
    return connection_.Run([&] { return LoadedRows{LoadEdges(edges), LoadCounts(users)}; });
  }

  Result<std::optional<std::vector<EdgeRow>>> LoadLists(std::span<const UserId> users,
                                                        std::size_t rows_max) override {
    CheckLoad({}, users);
    return connection_.Run([&] { return SelectLists(users, rows_max); });
  }

 private:
  std::vector<Edge> LoadEdges(std::span<const EdgeKey> keys) {
    std::vector<Edge> edges(keys.size());
    std::size_t at = 0;
    InPieces(keys, [&](std::span<const EdgeKey> piece) {
      sql_.clear();
      AppendSelectEdges(sql_, tables_, piece);
      Rows rows = connection_.Query(sql_);
      while (rows.Next()) {
        at = IndexOf(keys, {UserId(rows.U64(0)), UserId(rows.U64(1))}, at);
        edges[at] = {rows.I64(2) != 0, rows.I64(3), Version(rows.I64(4))};
      }
    });
    return edges;
  }

  std::vector<EdgeCount> LoadCounts(std::span<const UserId> users) {
    std::vector<EdgeCount> counts(users.size());
    std::size_t at = 0;
    InPieces(users, [&](std::span<const UserId> piece) {
      sql_.clear();
      AppendSelectCounts(sql_, tables_, piece);
      Rows rows = connection_.Query(sql_);
      while (rows.Next()) {
        at = IndexOf(users, UserId(rows.U64(0)), at);
        counts[at] = EdgeCount(rows.I64(1));
      }
    });
    return counts;
  }

  std::optional<std::vector<EdgeRow>> SelectLists(std::span<const UserId> users,
                                                  std::size_t rows_max) {
    std::vector<EdgeRow> found;
    InPieces(users, [&](std::span<const UserId> piece) {
      if (found.size() > rows_max) return;
      sql_.clear();
      AppendSelectLists(sql_, tables_, piece, rows_max + 1 - found.size());
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

  Connection& connection_;
  const TableNames tables_;
  std::string sql_;  // reused, so that its memory is
};

RowImage ImageOf(const Rows& row) {
  return {
      {UserId(row.U64(0)), UserId(row.U64(1))},
      FlaggedState(row.I64(2), StateOf(Edge{row.I64(2) != 0, row.I64(3), Version(row.I64(4))}))};
}

class EdgeTables final : public RowTables {
 public:
  EdgeTables(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  void Make(Generation generation) override {
    const TableNames tables = TablesOf(projection_, generation);
    connection_.Execute(
        fmt::format("CREATE TABLE IF NOT EXISTS {} (user_id BIGINT UNSIGNED NOT NULL, "
                    "{} BIGINT UNSIGNED NOT NULL, active TINYINT NOT NULL, "
                    "since_ms BIGINT NOT NULL, version BIGINT NOT NULL, "
                    "PRIMARY KEY (user_id, {})) ENGINE = InnoDB",
                    tables.edges, tables.other, tables.other));
    connection_.Execute(
        fmt::format("CREATE TABLE IF NOT EXISTS {} (user_id BIGINT UNSIGNED NOT NULL, "
                    "n BIGINT NOT NULL, PRIMARY KEY (user_id)) ENGINE = InnoDB",
                    tables.counts));
  }

  void FinishLoading(Generation generation) override {
    const TableNames tables = TablesOf(projection_, generation);
    {
      Transaction transaction(connection_);
      connection_.Execute(fmt::format("DELETE FROM {}", tables.counts));
      connection_.Execute(
          fmt::format("INSERT INTO {} (user_id, n) SELECT user_id, SUM(active) FROM {} FORCE INDEX "
                      "({}) GROUP BY user_id",
                      tables.counts, tables.edges, kPrimaryIndex));
      transaction.Commit();
    }
    if (HasPageIndex(connection_, tables.edges)) return;
    connection_.Execute(fmt::format("ALTER TABLE {} ADD INDEX {} (user_id, active, since_ms, {})",
                                    tables.edges, kPageIndex, tables.other));
  }

  std::unique_ptr<RowStore> Open(Generation generation) override {
    return std::make_unique<MysqlEdges>(connection_, TablesOf(projection_, generation));
  }

  std::vector<RowImage> Images(Generation generation, const RowKey& after, UserId last,
                               std::size_t limit) override {
    const TableNames tables = TablesOf(projection_, generation);
    // Of a comparison of row values the optimizer makes no range of the key.
    Rows rows = connection_.Query(fmt::format(
        "(SELECT user_id, {0}, active, since_ms, version FROM {1} FORCE INDEX ({2}) WHERE "
        "user_id = {3} AND {0} > {4} ORDER BY user_id, {0} LIMIT {5}) UNION ALL "
        "(SELECT user_id, {0}, active, since_ms, version FROM {1} FORCE INDEX ({2}) WHERE "
        "user_id > {3} AND user_id <= {6} ORDER BY user_id, {0} LIMIT {5}) ORDER BY 1, 2 LIMIT {5}",
        tables.other, tables.edges, kPrimaryIndex, after.user.value, after.other.value, limit,
        last.value));
    std::vector<RowImage> images;
    while (rows.Next()) images.push_back(ImageOf(rows));
    return images;
  }

  std::vector<RowState> StatesOf(Generation generation, std::span<const RowKey> keys) override {
    std::vector<RowState> states(keys.size());
    if (keys.empty()) return states;
    sql_.clear();
    AppendSelectEdges(sql_, TablesOf(projection_, generation), keys);
    std::size_t at = 0;
    Rows rows = connection_.Query(sql_);
    while (rows.Next()) {
      const RowImage image = ImageOf(rows);
      at = IndexOf(keys, image.key, at);
      states[at] = image.state;
    }
    return states;
  }

  void Mend(Generation generation, const RepairPlan& plan) override {
    const TableNames tables = TablesOf(projection_, generation);
    for (const RowKey& key : plan.deletions) {
      connection_.Execute(fmt::format("DELETE FROM {} WHERE user_id = {} AND {} = {}", tables.edges,
                                      key.user.value, tables.other, key.other.value));
    }
    for (const RowWrite& row : plan.rows) {
      const Edge edge = EdgeOf(row.to.state);
      connection_.Execute(fmt::format(
          "REPLACE INTO {} (user_id, {}, active, since_ms, version) VALUES ({}, {}, {}, {}, {})",
          tables.edges, tables.other, row.key.user.value, row.key.other.value, edge.active ? 1 : 0,
          edge.since_ms, edge.version.value));
    }
  }

  void Write(const RowWrites& rows, Generation generation, Bundle& bundle) override {
    const EdgeWrites& writes = EdgesOf(rows);
    CheckWrites(writes);
    const TableNames tables = TablesOf(projection_, generation);
    if (writes.edges_are_newest && !writes.edges.empty() && TakesFiles()) {
      return LoadFile(tables, writes.edges);
    }
    InPieces(std::span(writes.edges), [&](std::span<const EdgeRow> piece) {
      sql_.clear();
      AppendUpsertEdges(sql_, tables, piece);
      bundle.Add(sql_);
    });
  }

  void WriteShared(const RowWrites& rows, Generation generation, Bundle& bundle) override {
    const TableNames tables = TablesOf(projection_, generation);
    InPieces(std::span(EdgesOf(rows).counts), [&](std::span<const CountWrite> piece) {
      sql_.clear();
      AppendMoveCounts(sql_, tables, piece);
      bundle.Add(sql_);
    });
    for (const ErasureKey& ended : EdgesOf(rows).reached) {
      bundle.Add(ReachedText(kDrawn, std::to_string(ended.user.value),
                             std::to_string(ended.version.value)));
    }
  }

 private:
  bool TakesFiles() {
    if (!connection_.sends_files()) return false;
    Rows rows = connection_.Query("SELECT @@local_infile");
    return rows.Next() && rows.I64(0) == 1;
  }

  // What the server cannot store it warns of, and goes on.
  void LoadFile(const TableNames& tables, std::span<const EdgeRow> edges) {
    const RowFile file(edges);
    connection_.Execute(mysql::LoadEdges(tables, file.path()));
    Rows rows = connection_.Query("SELECT @@warning_count");
    if (rows.Next() && rows.I64(0) == 0) return;
    throw Failure(ErrorCode::kRefused,
                  fmt::format("{} rows were loaded with {} warnings", edges.size(), rows.I64(0)));
  }

  const Projection projection_;
  Connection& connection_;
  std::string sql_;  // reused, so that its memory is
};

}  // namespace

std::unique_ptr<RowTables> NewEdgeTables(Projection projection, Connection& connection) {
  return std::make_unique<EdgeTables>(projection, connection);
}

}  // namespace fanfold::mysql
