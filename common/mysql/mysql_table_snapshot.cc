#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/mysql/connection.h"
#include "common/mysql/index_names.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/row_tables.h"
#include "common/sql/lane_status.h"
#include "common/sql/table_names.h"

namespace fanfold {
namespace mysql {
namespace {

class MysqlTableSnapshot final : public TableSnapshot {
 public:
  MysqlTableSnapshot(Dsn dsn, const MysqlOptions& options)
      : connection_(std::move(dsn), LimitsOf(options), options.check) {}

  Result<std::vector<LaneStatus>> Lanes() override {
    auto lanes = AllOf<LaneStatus>(
        [] {
          return fmt::format(
              "SELECT {} FROM progress FORCE INDEX ({}) WHERE {} ORDER BY projection, generation, "
              "`partition`",
              kLaneColumns, kPrimaryIndex, OfKnownLanes());
        },
        [](const mysql::Rows& row) { return StatusOf(ReadLaneRow(row)); });
    if (lanes) std::ranges::sort(*lanes, {}, &LaneStatus::lane);
    return lanes;
  }

  Result<std::vector<OutboxRow>> Outbox(Projection projection, Generation generation) override {
    return AllOf<OutboxRow>(
        [&] {
          return fmt::format(
              "SELECT `partition`, first_offset, next_offset, outcomes FROM outbox FORCE INDEX "
              "({}) WHERE projection = '{}' AND generation = {} ORDER BY `partition`, first_offset",
              kPrimaryIndex, ToString(projection), generation.value);
        },
        [&](const mysql::Rows& row) {
          return OutboxRow{Partition(row.I32(0)), generation, Offset(row.I64(1)),
                           Offset(row.I64(2)), row.Text(3)};
        });
  }

  Result<std::vector<RowImage>> Rows(Projection projection, Generation generation,
                                     const std::optional<RowKey>& after, UserId last,
                                     std::size_t limit) override {
    return AtTheMoment([&] {
      return NewRowTables(projection, connection_)
          ->Images(generation, after.value_or(RowKey()), last, std::min(limit, kRowsMax));
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
              "SELECT user_id, n FROM {} FORCE INDEX ({}) WHERE user_id > {} AND user_id <= {} "
              "ORDER BY user_id LIMIT {}",
              tables.counts, kPrimaryIndex, after.value_or(UserId(0)).value, last.value,
              std::min(limit, kRowsMax));
        },
        [](const mysql::Rows& row) {
          return UserCount{UserId(row.U64(0)), EdgeCount(row.I64(1))};
        });
  }

  Result<RowTally> Tally(Projection projection, Generation generation, UserId user, UserId after,
                         std::size_t limit) override {
    const TableNames tables = TablesOf(projection, generation);
    return OneOf<RowTally>(
        [&] {
          return fmt::format(
              "SELECT COUNT(*), COALESCE(SUM(active), 0), COALESCE(MAX({0}), 0) FROM "
              "(SELECT {0}, active FROM {1} FORCE INDEX ({2}) WHERE user_id = {3} AND {0} > {4} "
              "ORDER BY {0} LIMIT {5}) piece",
              tables.other, tables.edges, kPrimaryIndex, user.value, after.value,
              std::min(limit, kTallyRowsMax));
        },
        [](const mysql::Rows& row) {
          return RowTally{row.U64(0), row.I64(1), UserId(row.U64(2))};
        });
  }

  Result<std::uint64_t> LastRepair() override {
    return OneOf<std::uint64_t>([] { return "SELECT COALESCE(MAX(mark), 0) FROM repairs"; },
                                [](const mysql::Rows& row) { return row.U64(0); });
  }

 private:
  // Of an aggregate, which always has a row.
  template <class Row, class Text, class Read>
  Result<Row> OneOf(const Text& text, const Read& read) {
    Result<std::vector<Row>> rows = AllOf<Row>(text, read);
    if (!rows) return Forward(rows);
    return std::move(rows->at(0));
  }

  template <class Row, class Text, class Read>
  Result<std::vector<Row>> AllOf(const Text& text, const Read& read) {
    return AtTheMoment([&] {
      std::vector<Row> rows;
      mysql::Rows found = connection_.Query(text());
      while (found.Next()) rows.push_back(read(found));
      return rows;
    });
  }

  template <class Work>
  Result<std::invoke_result_t<Work>> AtTheMoment(const Work& work) {
    auto done = connection_.Run([&] {
      if (lost_) throw Failure(ErrorCode::kUnavailable, "the moment of this snapshot is lost");
      if (!moment_) moment_.emplace(connection_, View::kOfOneMoment);
      return work();
    });
    lost_ = !done;
    return done;
  }

  Connection connection_;
  std::optional<Transaction> moment_;
  bool lost_ = false;  // perhaps with its session; another one would show another moment
};

}  // namespace
}  // namespace mysql

Result<std::unique_ptr<TableSnapshot>> NewMysqlTableSnapshot(const std::string& dsn,
                                                             const MysqlOptions& options) {
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, options);
  if (!parsed) return Forward(parsed);
  return std::make_unique<mysql::MysqlTableSnapshot>(std::move(*parsed), options);
}

}  // namespace fanfold
