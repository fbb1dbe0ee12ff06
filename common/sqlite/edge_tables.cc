#include "common/sqlite/edge_tables.h"

#include <fmt/format.h>
#include <utility>

#include "common/ports/edge_kind.h"
#include "common/ports/edge_store.h"
#include "common/sql/flagged_state.h"
#include "common/sql/profile_columns.h"
#include "common/sql/requirements.h"
#include "common/sqlite/edge_rows.h"

namespace fanfold::sqlite {
namespace {

class SqliteEdges final : public EdgeStore {
 public:
  SqliteEdges(std::shared_ptr<SqliteTables> tables, TableNames names)
      : tables_(std::move(tables)), names_(std::move(names)) {}

  Result<LoadedRows> Load(std::span<const EdgeKey> edges, std::span<const UserId> users) override {
    CheckLoad(edges, users);
    return tables_->Write([&](Connection& connection, std::int64_t) {
      // Not for what it sees: begun once, it takes the lock of a read once and not per row.
      Transaction transaction(connection, Access::kReads);
      return LoadRows(connection, names_, edges, users);
    });
  }

  Result<std::optional<std::vector<EdgeRow>>> LoadLists(std::span<const UserId> users,
                                                        std::size_t rows_max) override {
    CheckLoad({}, users);
    return tables_->Write([&](Connection& connection, std::int64_t) {
      Transaction transaction(connection, Access::kReads);
      return sqlite::LoadLists(connection, names_, users, rows_max);
    });
  }

 private:
  const std::shared_ptr<SqliteTables> tables_;
  const TableNames names_;
};

// Its columns from there on are active, since_ms and version.
RowState StateIn(const Statement& row, int first) {
  const Edge edge{row.I64(first) != 0, row.I64(first + 1), Version(row.I64(first + 2))};
  return FlaggedState(row.I64(first), StateOf(edge));
}

class EdgeTables final : public RowTables {
 public:
  explicit EdgeTables(Projection projection) : projection_(projection) {}

  void Make(Connection& connection, Generation generation) const override {
    const TableNames tables = TablesOf(projection_, generation);
    connection.Execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {0} (user_id INTEGER NOT NULL, {1} INTEGER NOT NULL, "
        "active INTEGER NOT NULL, since_ms INTEGER NOT NULL, version INTEGER NOT NULL, "
        "PRIMARY KEY (user_id, {1})) STRICT, WITHOUT ROWID",
        tables.edges, tables.other));
    connection.Execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} (user_id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT",
        tables.counts));
  }

  void FinishLoading(Connection& connection, Generation generation) const override {
    const TableNames tables = TablesOf(projection_, generation);
    connection.Execute(fmt::format("DELETE FROM {}", tables.counts));
    connection.Execute(
        fmt::format("INSERT INTO {} (user_id, n) SELECT user_id, SUM(active) FROM {} GROUP BY 1",
                    tables.counts, tables.edges));
    connection.Execute(
        fmt::format("CREATE INDEX IF NOT EXISTS {0}_page ON {0} (user_id, active, since_ms, {1})",
                    tables.edges, tables.other));
  }

  std::unique_ptr<RowStore> Open(std::shared_ptr<SqliteTables> tables,
                                 Generation generation) const override {
    return std::make_unique<SqliteEdges>(std::move(tables), TablesOf(projection_, generation));
  }

  std::vector<RowImage> Images(Connection& connection, Generation generation, const RowKey& after,
                               UserId last, std::size_t limit) const override {
    const TableNames tables = TablesOf(projection_, generation);
    Statement select = connection.Prepare(fmt::format(
        "SELECT user_id, {0}, active, since_ms, version FROM {1} WHERE (user_id, {0}) > (?1, ?2) "
        "AND user_id <= ?4 ORDER BY user_id, {0} LIMIT ?3",
        tables.other, tables.edges));
    select.Bind(after.user.value, after.other.value, limit, last.value);
    std::vector<RowImage> images;
    while (select.Next()) {
      images.push_back(
          {{UserId(select.U64(0)), UserId(select.U64(1))}, StateIn(select, /*first=*/2)});
    }
    return images;
  }

  std::vector<RowState> StatesOf(Connection& connection, Generation generation,
                                 std::span<const RowKey> keys) const override {
    Statement select = connection.Prepare(SelectEdgeText(TablesOf(projection_, generation)));
    std::vector<RowState> states;
    for (const RowKey& key : keys) {
      select.Bind(key.user.value, key.other.value);
      states.push_back(select.Next() ? StateIn(select, /*first=*/0) : RowState());
    }
    return states;
  }

  void Mend(Connection& connection, Generation generation, const RepairPlan& plan) const override {
    const TableNames tables = TablesOf(projection_, generation);
    for (const RowKey& key : plan.deletions) {
      connection.Execute(
          fmt::format("DELETE FROM {} WHERE user_id = ?1 AND {} = ?2", tables.edges, tables.other),
          key.user.value, key.other.value);
    }
    for (const RowWrite& row : plan.rows) {
      const Edge edge = EdgeOf(row.to.state);
      connection.Execute(fmt::format("REPLACE INTO {} (user_id, {}, active, since_ms, version) "
                                     "VALUES (?1, ?2, ?3, ?4, ?5)",
                                     tables.edges, tables.other),
                         row.key.user.value, row.key.other.value, edge.active, edge.since_ms,
                         edge.version.value);
    }
  }

  void Write(Connection& connection, const RowWrites& rows, Generation generation) const override {
    const EdgeWrites& writes = EdgesOf(rows);
    CheckWrites(writes);
    const TableNames tables = TablesOf(projection_, generation);
    UpsertEdges(connection, tables, writes.edges);
    MoveCounts(connection, tables, writes.counts);
    for (const ErasureKey& ended : writes.reached) {
      connection.Execute(ReachedText(kDrawn, "?1", "?2"), ended.user.value, ended.version.value);
    }
  }

 private:
  const Projection projection_;
};

}  // namespace

std::unique_ptr<const RowTables> NewEdgeTables(Projection projection) {
  return std::make_unique<EdgeTables>(projection);
}

}  // namespace fanfold::sqlite
