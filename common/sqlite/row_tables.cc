#include "common/sqlite/row_tables.h"

#include <utility>

#include "common/ports/edge_store.h"
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

}  // namespace

std::unique_ptr<RowStore> OpenRows(std::shared_ptr<SqliteTables> tables, Projection projection,
                                   Generation generation) {
  return std::make_unique<SqliteEdges>(std::move(tables), TablesOf(projection, generation));
}

void WriteRows(Connection& connection, const LaneBatch& batch) {
  if (batch.rows == nullptr) return;
  const EdgeWrites& writes = EdgesOf(*batch.rows);
  CheckWrites(writes);
  const TableNames tables = TablesOf(batch.projection, batch.generation);
  UpsertEdges(connection, tables, writes.edges);
  MoveCounts(connection, tables, writes.counts);
}

}  // namespace fanfold::sqlite
