#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/sql/catalog_rows.h"
#include "common/sql/lane_status.h"
#include "common/sql/parked_row.h"
#include "common/sql/requirements.h"
#include "common/sql/slot_map_rows.h"
#include "common/sql/view_rows.h"
#include "common/sqlite/reader_queries.h"
#include "common/sqlite/row_tables.h"
#include "common/sqlite/sqlite_store.h"
#include "common/sqlite/sqlite_tables.h"

namespace fanfold {
namespace sqlite {
namespace {

class SqliteProjectionReader final : public ProjectionReader {
 public:
  explicit SqliteProjectionReader(const std::shared_ptr<SqliteTables>& tables)
      : tables_(tables), connection_(tables->path(), tables->ReaderOptions()) {}

  Result<std::vector<ListedUser>> Page(Direction list, Generation generation, UserId user,
                                       const PageStart& start, std::size_t limit) override {
    CheckStart(start);
    return Listed(PageQuery(list, generation, user, start, std::min(limit, kPageMax)));
  }

  Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations& read, UserId user,
                                              const PageStart& start, std::size_t limit) override {
    CheckStart(start);
    return Listed(FriendsPageQuery(read, user, start, std::min(limit, kPageMax)));
  }

  Result<std::vector<ListedUser>> Among(Direction list, Generation generation, UserId user,
                                        std::span<const UserId> others) override {
    CheckNamed(others);
    return Listed(AmongQuery(list, generation, user, others));
  }

  Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                         std::span<const UserId> users) override {
    CheckNamed(users);
    return Rows(CountsQuery(read, users), [](const Statement& row) {
      // Where a user has no count, NULL reads as 0.
      return UserCounts{UserId(row.U64(0)), row.I64(1), row.I64(2), row.I64(3)};
    });
  }

  Result<std::vector<Directions>> Relations(const ReadGenerations& read, UserId user,
                                            std::span<const UserId> targets) override {
    CheckNamed(targets);
    return Rows(RelationsQuery(read, user, targets),
                [](const Statement& row) { return Directions{row.I64(1) != 0, row.I64(2) != 0}; });
  }

  Result<UserView> View(const ReadGenerations& read, UserId user, Partition partition,
                        std::span<const ListQuestion> questions) override {
    CheckQuestions(questions);
    return connection_.Run([&] {
      const ReaderQuery query = ViewQuery(read, user, partition, questions);
      Statement select = connection_.Prepare(query.sql);
      select.BindAll(query.values);
      return ReadView(select, questions.size());
    });
  }

  std::unique_ptr<RowReader> OpenRows(Projection projection) override {
    return NewRowTables(projection)->OpenReader(connection_);
  }

  Result<EdgeView> EdgeAt(Direction list, Generation generation, const EdgeKey& key,
                          Partition partition) override {
    return connection_.Run([&] {
      const ReaderQuery query = EdgeAtQuery(list, generation, key, partition);
      Statement select = connection_.Prepare(query.sql);
      select.BindAll(query.values);
      return ReadEdgeView(select);
    });
  }

  Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t after, std::size_t limit) override {
    return Rows(RepairsQuery(after, std::min(limit, kPageMax)), [](const Statement& row) {
      return RepairRow{row.U64(0), ProjectionRepaired(row.Text(1)), Generation(row.I32(2)),
                       UserId(row.U64(3))};
    });
  }

  Result<std::vector<LaneStatus>> Lanes() override {
    auto lanes = Rows(LanesQuery(), &ReadLaneStatus<Statement>);
    if (lanes) std::ranges::sort(*lanes, {}, &LaneStatus::lane);
    return lanes;
  }

  Result<std::vector<ParkedRow>> Parked(Projection projection,
                                        std::optional<std::pair<Partition, Offset>> after,
                                        std::size_t limit) override {
    return Rows(ParkedQuery(projection, after, std::min(limit, kPageMax)),
                &ReadParkedRow<Statement>);
  }

  Result<std::optional<ParkedRow>> ParkedAt(Projection projection, Partition partition,
                                            Offset offset) override {
    auto rows = Rows(ParkedAtQuery(projection, partition, offset), &ReadParkedRow<Statement>);
    if (!rows) return Forward(rows);
    if (rows->empty()) return std::optional<ParkedRow>();
    return std::optional<ParkedRow>(std::move(rows->front()));
  }

  Result<Catalog> ReadCatalog() override {
    std::optional<Catalog> catalog;
    const auto rows = Rows(CatalogQuery(), [&](const Statement& row) {
      TakeCatalogRow(row, catalog);
      return true;
    });
    if (!rows) return std::unexpected(rows.error());
    if (!catalog) return Fail(ErrorCode::kRefused, "these tables are not shard 0's");
    return *catalog;
  }

  Result<SlotMap> ReadSlotMap(SlotMapId id) override {
    const ReaderQuery query = SlotMapQuery(id);
    return connection_.Run([&] {
      Statement select = connection_.Prepare(query.sql);
      select.BindAll(query.values);
      return ReadSlotMapRows(select, id);
    });
  }

  Status Ping() override {
    return connection_.Run([this] { connection_.Execute("SELECT 1 FROM progress LIMIT 1"); });
  }

 private:
  template <class Read>
  auto Rows(const ReaderQuery& query, const Read& read)
      -> Result<std::vector<std::invoke_result_t<Read, const Statement&>>> {
    return connection_.Run([&] {
      std::vector<std::invoke_result_t<Read, const Statement&>> rows;
      Statement select = connection_.Prepare(query.sql);
      select.BindAll(query.values);
      while (select.Next()) rows.push_back(read(select));
      return rows;
    });
  }

  Result<std::vector<ListedUser>> Listed(const ReaderQuery& query) {
    return Rows(query,
                [](const Statement& row) { return ListedUser{UserId(row.U64(0)), row.I64(1)}; });
  }

  const std::shared_ptr<SqliteTables> tables_;  // a database in memory lives as long as they do
  Connection connection_;
};

}  // namespace
}  // namespace sqlite

Result<std::unique_ptr<ProjectionReader>> NewSqliteProjectionReader(
    const std::shared_ptr<SqliteTables>& tables) {
  return ResultOf([&]() -> std::unique_ptr<ProjectionReader> {
    return std::make_unique<sqlite::SqliteProjectionReader>(tables);
  });
}

}  // namespace fanfold
