#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "common/mysql/connection.h"
#include "common/mysql/lane_extras.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/reader_queries.h"
#include "common/mysql/row_tables.h"
#include "common/sql/catalog_rows.h"
#include "common/sql/lane_status.h"
#include "common/sql/requirements.h"
#include "common/sql/schema_identity.h"
#include "common/sql/slot_map_rows.h"
#include "common/sql/view_rows.h"
#include "common/sql/whole_rows.h"

namespace fanfold {
namespace mysql {
namespace {

class MysqlProjectionReader final : public ProjectionReader {
 public:
  MysqlProjectionReader(Dsn dsn, const MysqlOptions& options)
      : connection_(std::move(dsn), LimitsOf(options), options.check) {}

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
    if (others.empty()) return std::vector<ListedUser>();
    return Listed(AmongQuery(list, generation, user, others));
  }

  Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                         std::span<const UserId> users) override {
    CheckNamed(users);
    if (users.empty()) return std::vector<UserCounts>();
    return connection_.Run([&] {
      std::unordered_map<UserId, UserCounts> found;
      Rows rows = connection_.Query(CountsQuery(read, users).sql);
      while (rows.Next()) {
        UserCounts& counts = found[UserId(rows.U64(1))];
        CountIn(counts, static_cast<CountKind>(rows.I32(0))) = rows.I64(2);
      }
      std::vector<UserCounts> answer;
      for (const UserId user : users) {
        answer.push_back(found[user]);
        answer.back().user = user;
      }
      return answer;
    });
  }

  Result<std::vector<Directions>> Relations(const ReadGenerations& read, UserId user,
                                            std::span<const UserId> targets) override {
    CheckNamed(targets);
    if (targets.empty()) return std::vector<Directions>();
    return connection_.Run([&] {
      std::unordered_map<UserId, Directions> found;
      Rows rows = connection_.Query(RelationsQuery(read, user, targets).sql);
      while (rows.Next()) {
        Directions& directions = found[UserId(rows.U64(1))];
        const auto direction = static_cast<Direction>(rows.I32(0));
        (direction == Direction::kFollowing ? directions.follows : directions.followed_by) = true;
      }
      std::vector<Directions> answer;
      for (const UserId target : targets) {
        const auto at = found.find(target);
        answer.push_back(at == found.end() ? Directions{} : at->second);
      }
      return answer;
    });
  }

  Result<UserView> View(const ReadGenerations& read, UserId user, Partition partition,
                        std::span<const ListQuestion> questions) override {
    CheckQuestions(questions);
    return connection_.Run([&] {
      Rows rows = connection_.Query(ViewQuery(read, user, partition, questions).sql);
      return ReadView(rows, questions.size());
    });
  }

  Result<std::vector<WholeView>> Lists(const ReadGenerations& read,
                                       std::span<const WholeLists> asked,
                                       const WholeListsLimit& limit) override {
    CheckLists(asked);
    return connection_.Run([&] {
      Rows rows = connection_.Query(ListsQuery(read, asked, limit.together).sql);
      return ReadLists(rows, asked, limit);
    });
  }

  std::unique_ptr<RowReader> OpenRows(Projection projection) override {
    return NewRowTables(projection, connection_)->OpenReader();
  }

  Result<EdgeView> EdgeAt(Direction list, Generation generation, const EdgeKey& key,
                          Partition partition) override {
    return connection_.Run([&] {
      Rows rows = connection_.Query(EdgeAtQuery(list, generation, key, partition).sql);
      return ReadEdgeView(rows);
    });
  }

  Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t after, std::size_t limit) override {
    return AllOf(RepairsQuery(after, std::min(limit, kPageMax)), [](const Rows& row) {
      return RepairRow{row.U64(0), ProjectionRepaired(row.Text(1)), Generation(row.I32(2)),
                       UserId(row.U64(3))};
    });
  }

  Result<std::vector<LaneStatus>> Lanes() override {
    return connection_.Run([&] {
      std::vector<LaneStatus> lanes;
      Rows rows = connection_.Query(LanesQuery().sql);
      while (rows.Next()) {
        if (lanes.empty()) connection_.CheckAgain(IdentityBeside<kLaneStatusColumns>(rows));
        lanes.push_back(ReadLaneStatus(rows));
      }
      std::ranges::sort(lanes, {}, &LaneStatus::lane);
      return lanes;
    });
  }

  Result<std::vector<ParkedRow>> Parked(Projection projection,
                                        std::optional<std::pair<Partition, Offset>> after,
                                        std::size_t limit) override {
    return AllOf(ParkedQuery(projection, after, std::min(limit, kPageMax)), &ReadParkedRow<Rows>);
  }

  Result<std::optional<ParkedRow>> ParkedAt(Projection projection, Partition partition,
                                            Offset offset) override {
    auto rows = AllOf(ParkedAtQuery(projection, partition, offset), &ReadParkedRow<Rows>);
    if (!rows) return Forward(rows);
    if (rows->empty()) return std::optional<ParkedRow>();
    return std::optional<ParkedRow>(std::move(rows->front()));
  }

  Result<Catalog> ReadCatalog() override {
    return connection_.Run([&] {
      std::optional<Catalog> catalog;
      Rows rows = connection_.Query(CatalogQuery().sql);
      while (rows.Next()) {
        if (!catalog) connection_.CheckAgain(IdentityBeside<kCatalogColumnCount>(rows));
        TakeCatalogRow(rows, catalog);
      }
      if (catalog) return *catalog;
      throw Failure(ErrorCode::kRefused, "the schema has no catalog; run `fanfold init`");
    });
  }

  Result<SlotMap> ReadSlotMap(SlotMapId id) override {
    return connection_.Run([&] {
      Rows rows = connection_.Query(SlotMapQuery(id).sql);
      return ReadSlotMapRows(rows, id);
    });
  }

  Status Ping() override {
    return connection_.Run([&] { (void)connection_.Query("SELECT 1"); });
  }

 private:
  // A session may lead elsewhere than when it was opened: a schema was loaded in its place.
  template <int kFirst>
  static std::optional<SchemaIdentity> IdentityBeside(const Rows& row) {
    if (row.IsNull(kFirst)) return std::nullopt;
    return ReadIdentityRow<kFirst>(row);
  }

  static std::int64_t& CountIn(UserCounts& counts, CountKind kind) {
    switch (kind) {
      case CountKind::kFollowing:
        return counts.following;
      case CountKind::kFans:
        return counts.fans;
      case CountKind::kFriends:
        break;
    }
    return counts.friends;
  }

  template <class Read>
  auto AllOf(const ReaderQuery& query, const Read& read)
      -> Result<std::vector<std::invoke_result_t<Read, const Rows&>>> {
    return connection_.Run([&] {
      std::vector<std::invoke_result_t<Read, const Rows&>> all;
      Rows rows = connection_.Query(query.sql);
      while (rows.Next()) all.push_back(read(rows));
      return all;
    });
  }

  Result<std::vector<ListedUser>> Listed(const ReaderQuery& query) {
    return AllOf(query, [](const Rows& row) { return ListedUser{UserId(row.U64(0)), row.I64(1)}; });
  }

  Connection connection_;
};

}  // namespace
}  // namespace mysql

Result<std::unique_ptr<ProjectionReader>> NewMysqlProjectionReader(const std::string& dsn,
                                                                   const MysqlOptions& options) {
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, options);
  if (!parsed) return Forward(parsed);
  return std::make_unique<mysql::MysqlProjectionReader>(std::move(*parsed), options);
}

}  // namespace fanfold
