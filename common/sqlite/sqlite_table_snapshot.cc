#include <algorithm>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

#include "common/sql/lane_status.h"
#include "common/sql/table_names.h"
#include "common/sqlite/row_tables.h"
#include "common/sqlite/sqlite_store.h"
#include "common/sqlite/sqlite_tables.h"

namespace fanfold {
namespace sqlite {
namespace {

class SqliteTableSnapshot final : public TableSnapshot {
 public:
  explicit SqliteTableSnapshot(const std::shared_ptr<SqliteTables>& tables)
      : tables_(tables), connection_(tables->path(), tables->ReaderOptions()) {}

  Result<std::vector<LaneStatus>> Lanes() override {
    auto lanes = AllOf<LaneStatus>(
        [] {
          return fmt::format("SELECT {} FROM progress WHERE {}", kLaneColumns, OfKnownLanes());
        },
        [](const Statement& row) { return StatusOf(ReadLaneRow(row)); });
    if (lanes) std::ranges::sort(*lanes, {}, &LaneStatus::lane);
    return lanes;
  }

  Result<std::vector<OutboxRow>> Outbox(Projection projection, Generation generation) override {
    return AllOf<OutboxRow>(
        [&] {
          return fmt::format(
              "SELECT `partition`, first_offset, next_offset, outcomes FROM outbox WHERE "
              "projection = '{}' AND generation = {} ORDER BY `partition`, first_offset",
              ToString(projection), generation.value);
        },
        [&](const Statement& row) {
          return OutboxRow{Partition(row.I32(0)), generation, Offset(row.I64(1)),
                           Offset(row.I64(2)), row.Text(3)};
        });
  }

  Result<std::vector<RowImage>> Rows(Projection projection, Generation generation,
                                     const std::optional<RowKey>& after, UserId last,
                                     std::size_t limit) override {
    return AtTheMoment([&] {
      return NewRowTables(projection)
          ->Images(connection_, generation, after.value_or(RowKey()), last,
                   std::min(limit, kRowsMax));
    });
  }

  Result<std::vector<UserCount>> Counts(Projection projection, Generation generation,
                                        const std::optional<UserId>& after, UserId last,
                                        std::size_t limit) override {
    if (!projection.has_counts()) return std::vector<UserCount>();
    const TableNames tables = TablesOf(projection, generation);
    return AllOf<UserCount>(
        [&] {
          return fmt::format(
              "SELECT user_id, n FROM {} WHERE user_id > ?1 AND user_id <= ?3 ORDER BY user_id "
              "LIMIT "
              "?2",
              tables.counts);
        },
        [](const Statement& row) { return UserCount{UserId(row.U64(0)), EdgeCount(row.I64(1))}; },
        after.value_or(UserId(0)).value, std::min(limit, kRowsMax), last.value);
  }

  Result<RowTally> Tally(Projection projection, Generation generation, UserId user, UserId after,
                         std::size_t limit) override {
    const TableNames tables = TablesOf(projection, generation);
    return OneOf<RowTally>(
        [&] {
          return fmt::format(
              "SELECT COUNT(*), COALESCE(SUM(active), 0), COALESCE(MAX({0}), 0) FROM (SELECT {0}, "
              "active FROM {1} WHERE user_id = ?1 AND {0} > ?2 ORDER BY {0} LIMIT ?3)",
              tables.other, tables.edges);
        },
        [](const Statement& row) { return RowTally{row.U64(0), row.I64(1), UserId(row.U64(2))}; },
        user.value, after.value, std::min(limit, kTallyRowsMax));
  }

  Result<std::uint64_t> LastRepair() override {
    return OneOf<std::uint64_t>([] { return "SELECT COALESCE(MAX(mark), 0) FROM repairs"; },
                                [](const Statement& row) { return row.U64(0); });
  }

 private:
  // Of an aggregate, which always has a row.
  template <class Row, class Text, class Read, class... Values>
  Result<Row> OneOf(const Text& text, const Read& read, const Values&... values) {
    Result<std::vector<Row>> rows = AllOf<Row>(text, read, values...);
    if (!rows) return Forward(rows);
    return std::move(rows->at(0));
  }

  template <class Row, class Text, class Read, class... Values>
  Result<std::vector<Row>> AllOf(const Text& text, const Read& read, const Values&... values) {
    return AtTheMoment([&] {
      std::vector<Row> rows;
      Statement select = connection_.Prepare(text());
      select.Bind(values...);
      while (select.Next()) rows.push_back(read(select));
      return rows;
    });
  }

  template <class Work>
  Result<std::invoke_result_t<Work>> AtTheMoment(const Work& work) {
    return connection_.Run([&] {
      if (!moment_) moment_.emplace(connection_, Access::kReads);
      return work();
    });
  }

  const std::shared_ptr<SqliteTables> tables_;  // a database in memory lives as long as they do
  Connection connection_;
  std::optional<Transaction> moment_;
};

}  // namespace
}  // namespace sqlite

Result<std::unique_ptr<TableSnapshot>> NewSqliteTableSnapshot(
    const std::shared_ptr<SqliteTables>& tables) {
  return ResultOf([&]() -> std::unique_ptr<TableSnapshot> {
    return std::make_unique<sqlite::SqliteTableSnapshot>(tables);
  });
}

}  // namespace fanfold
