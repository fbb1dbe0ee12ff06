// A projection's table of rows by a user and another id. Internal to the adapter.
#pragma once

#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "common/sql/keyed_table.h"
#include "common/sql/table_names.h"
#include "common/sqlite/row_tables.h"

namespace fanfold::sqlite {

// INSERTs a row with `columns`, which are bound, or replaces it; with `or_newer` only where the
// table has no row that is as new.
[[nodiscard]] std::string WriteText(const std::string& table, const KeyedColumns& columns,
                                    bool or_newer);

// `Table` is one of common/sql's (PostTable), with what this database adds: kDefinition, its
// columns; Bind(statement, write), all of them; AddIndexes(connection, table), once it is loaded.
template <class Table>
class KeyedTables : public RowTables {
 public:
  explicit KeyedTables(Projection projection) : projection_(projection) {}

  void Make(Connection& connection, Generation generation) const override {
    connection.Execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} ({}, PRIMARY KEY ({}, {})) STRICT, WITHOUT ROWID",
        TableOfRows(generation), Table::kDefinition, kColumns.user, kColumns.other));
  }
  void FinishLoading(Connection& connection, Generation generation) const override {
    Table::AddIndexes(connection, TableOfRows(generation));
  }

  std::vector<RowImage> Images(Connection& connection, Generation generation, const RowKey& after,
                               UserId last, std::size_t limit) const override {
    Statement select = connection.Prepare(fmt::format(
        "SELECT {0} FROM {1} WHERE ({2}, {3}) > (?1, ?2) AND {2} <= ?4 ORDER BY {2}, {3} LIMIT ?3",
        kColumns.all, TableOfRows(generation), kColumns.user, kColumns.other));
    select.Bind(after.user.value, after.other.value, limit, last.value);
    std::vector<RowImage> images;
    while (select.Next()) images.push_back({ReadRowKey(select), Table::StateIn(select)});
    return images;
  }

  std::vector<RowState> StatesOf(Connection& connection, Generation generation,
                                 std::span<const RowKey> keys) const override {
    Statement select =
        connection.Prepare(fmt::format("SELECT {} FROM {} WHERE {} = ?1 AND {} = ?2", kColumns.all,
                                       TableOfRows(generation), kColumns.user, kColumns.other));
    std::vector<RowState> states;
    for (const RowKey& key : keys) {
      select.Bind(key.user.value, key.other.value);
      states.push_back(select.Next() ? Table::StateIn(select) : RowState());
    }
    return states;
  }

  void Mend(Connection& connection, Generation generation, const RepairPlan& plan) const override {
    const std::string table = TableOfRows(generation);
    for (const RowKey& key : plan.deletions) {
      connection.Execute(fmt::format("DELETE FROM {} WHERE {} = ?1 AND {} = ?2", table,
                                     kColumns.user, kColumns.other),
                         key.user.value, key.other.value);
    }
    Statement replace = connection.Prepare(WriteText(table, kColumns, /*or_newer=*/false));
    for (const typename Table::Write& write : Table::Mended(plan)) {
      Table::Bind(replace, write).Execute();
    }
  }

  void Write(Connection& connection, const RowWrites& rows, Generation generation) const override {
    Statement upsert =
        connection.Prepare(WriteText(TableOfRows(generation), kColumns, /*or_newer=*/true));
    for (const typename Table::Write& write : Table::RowsIn(rows)) {
      Table::Bind(upsert, write).Execute();
    }
  }

 protected:
  static constexpr const KeyedColumns& kColumns = Table::kColumns;

  [[nodiscard]] Projection projection() const noexcept { return projection_; }
  [[nodiscard]] std::string TableOfRows(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

 private:
  const Projection projection_;
};

}  // namespace fanfold::sqlite
