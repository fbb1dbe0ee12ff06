// A projection's table of rows by a user and another id. Internal to the adapter.
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
#include "common/mysql/row_tables.h"
#include "common/mysql/sql_text.h"
#include "common/sql/keyed_table.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {

// SELECT these columns of the rows that exist, in no promised order.
void AppendSelectKeyed(std::string& sql, const std::string& table, const KeyedColumns& columns,
                       std::string_view selected, std::span<const RowKey> keys);
// Ends an INSERT of rows: where a row is there already, the newer one counts. `said` are the rows'
// columns but for the key and the version.
void AppendNewerCounts(std::string& sql, std::span<const std::string_view> said);

// `Table` is one of common/sql's (PostTable), with what this database adds: kDefinition, its
// columns; Indexes(), what is added to the table once it is loaded; Append(sql, write), a row in
// brackets.
template <class Table>
class KeyedTables : public RowTables {
 public:
  KeyedTables(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  void Make(Generation generation) override {
    connection_.Execute(
        fmt::format("CREATE TABLE IF NOT EXISTS {} ({}, PRIMARY KEY ({}, {})) ENGINE = InnoDB",
                    TableOfRows(generation), Table::kDefinition, kColumns.user, kColumns.other));
  }
  void FinishLoading(Generation generation) override {
    const std::string table = TableOfRows(generation);
    if (HasPageIndex(connection_, table)) return;
    connection_.Execute(fmt::format("ALTER TABLE {} {}", table, Table::Indexes()));
  }

  std::string_view user_column() const override { return kColumns.user; }
  std::vector<RowImage> Images(Generation generation, const RowKey& after, UserId last,
                               std::size_t limit) override {
    // The optimizer makes no range of the key out of a comparison of row values.
    Rows rows = connection_.Query(fmt::format(
        "(SELECT {0} FROM {1} FORCE INDEX ({2}) WHERE {7} = {3} AND {8} > {4} ORDER BY {7}, {8} "
        "LIMIT {5}) UNION ALL (SELECT {0} FROM {1} FORCE INDEX ({2}) WHERE {7} > {3} AND {7} <= "
        "{6} ORDER BY {7}, {8} LIMIT {5}) ORDER BY 1, 2 LIMIT {5}",
        kColumns.all, TableOfRows(generation), kPrimaryIndex, after.user.value, after.other.value,
        limit, last.value, kColumns.user, kColumns.other));
    std::vector<RowImage> images;
    while (rows.Next()) images.push_back({ReadRowKey(rows), Table::StateIn(rows)});
    return images;
  }

  std::vector<RowState> StatesOf(Generation generation, std::span<const RowKey> keys) override {
    std::vector<RowState> states(keys.size());
    std::size_t at = 0;
    InPieces(keys, [&](std::span<const RowKey> piece) {
      std::string sql;
      AppendSelectKeyed(sql, TableOfRows(generation), kColumns, kColumns.all, piece);
      Rows rows = connection_.Query(sql);
      while (rows.Next()) {
        at = IndexOf(keys, ReadRowKey(rows), at);
        states[at] = Table::StateIn(rows);
      }
    });
    return states;
  }

  void Mend(Generation generation, const RepairPlan& plan) override {
    for (const RowKey& key : plan.deletions) {
      connection_.Execute(fmt::format("DELETE FROM {} WHERE {} = {} AND {} = {}",
                                      TableOfRows(generation), kColumns.user, key.user.value,
                                      kColumns.other, key.other.value));
    }
    for (const typename Table::Write& write : Table::Mended(plan)) {
      std::string sql =
          fmt::format("REPLACE INTO {} ({}) VALUES ", TableOfRows(generation), kColumns.all);
      Table::Append(sql, write);
      connection_.Execute(sql);
    }
  }

  void Write(const RowWrites& rows, Generation generation, Bundle& bundle) override {
    AddUpserts(bundle,
               fmt::format("INSERT INTO {} ({}) VALUES ", TableOfRows(generation), kColumns.all),
               Table::RowsIn(rows), Table::Append,
               [](std::string& sql) { AppendNewerCounts(sql, kColumns.said); });
  }
  void WriteShared(const RowWrites&, Generation, Bundle&) override {}

 protected:
  static constexpr const KeyedColumns& kColumns = Table::kColumns;

  [[nodiscard]] Projection projection() const noexcept { return projection_; }
  [[nodiscard]] Connection& connection() const noexcept { return connection_; }
  [[nodiscard]] std::string TableOfRows(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

 private:
  const Projection projection_;
  Connection& connection_;
};

}  // namespace fanfold::mysql
