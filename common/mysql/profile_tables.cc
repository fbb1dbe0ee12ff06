#include "common/mysql/profile_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/mysql/index_names.h"
#include "common/mysql/sql_text.h"
#include "common/ports/profile_reader.h"
#include "common/ports/profile_store.h"
#include "common/sql/profile_columns.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {
namespace {

// What one statement carries, about.
constexpr std::size_t kStatementBytesMax = std::size_t{1} << 20;

void AppendText(std::string& sql, const std::optional<std::string>& text) {
  text ? AppendBytes(sql, *text) : void(sql += "NULL");
}

void AppendRow(std::string& sql, const ProfileWrite& write) {
  const Profile none;
  const Profile& profile = write.row.profile ? *write.row.profile : none;
  fmt::format_to(std::back_inserter(sql), "({}, {}, ", write.user.value, write.row.deleted ? 1 : 0);
  for (const auto* text : {&profile.name, &profile.avatar_url, &profile.bio}) {
    AppendText(sql, *text);
    sql += ", ";
  }
  fmt::format_to(std::back_inserter(sql), "{}, {})", profile.verified ? 1 : 0,
                 write.row.version.value);
}

// MySQL assigns from left to right: the version, which each of them asks, last.
void AppendNewerCounts(std::string& sql) {
  sql += " ON DUPLICATE KEY UPDATE ";
  for (const char* column : {"deleted", "name", "avatar_url", "bio", "verified"}) {
    fmt::format_to(std::back_inserter(sql),
                   "{0} = IF(VALUES(version) > version, VALUES({0}), {0}), ", column);
  }
  sql += "version = GREATEST(version, VALUES(version))";
}

class NoQuestions final : public RowStore {};

// One statement: rows, lanes and the repair mark, told apart by their first column.
class MysqlProfiles final : public ProfileReader {
 public:
  MysqlProfiles(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<ProfileView> Read(Generation generation, std::span<const UserId> users) override {
    return connection_.Run([&] { return ReadView(generation, users); });
  }

 private:
  ProfileView ReadView(Generation generation, std::span<const UserId> users) {
    ProfileView view;
    view.rows.resize(users.size());
    std::vector<std::pair<UserId, std::size_t>> places;
    for (std::size_t i = 0; i < users.size(); ++i) places.emplace_back(users[i], i);
    std::ranges::sort(places);
    Rows rows = connection_.Query(ViewText(generation, users));
    while (rows.Next()) {
      switch (rows.I32(7)) {
        case kRow: {
          const auto at = std::ranges::lower_bound(places, UserId(rows.U64(0)), {},
                                                   &std::pair<UserId, std::size_t>::first);
          view.rows[at->second] = ReadProfileRow(rows);
          break;
        }
        case kLane:
          view.lanes.push_back({Partition(rows.I32(0)), Offset(rows.I64(6)), rows.I64(1) != 0});
          break;
        default:
          view.repair_mark = rows.U64(0);
      }
    }
    std::ranges::sort(view.lanes, {}, &ProfileLane::partition);
    return view;
  }

  std::string ViewText(Generation generation, std::span<const UserId> users) const {
    std::string sql;
    if (!users.empty()) {
      sql =
          fmt::format("SELECT {}, {} FROM {} FORCE INDEX ({}) WHERE user_id IN (", kProfileColumns,
                      kRow, TableOf(projection_.tables()[0], generation), kPrimaryIndex);
      AppendList(sql, users, ",",
                 [](std::string& text, UserId user) { AppendNumber(text, user.value); });
      sql += ") UNION ALL ";
    }
    fmt::format_to(
        std::back_inserter(sql),
        "SELECT CAST(`partition` AS UNSIGNED), event_offset < folded_offset, NULL, NULL, "
        "NULL, 0, event_offset, {} FROM progress FORCE INDEX ({}) WHERE projection = "
        "'{}' AND generation = {} UNION ALL SELECT COALESCE(MAX(mark), 0), 0, NULL, "
        "NULL, NULL, 0, 0, {} FROM repairs",
        kLane, kPrimaryIndex, ToString(projection_), generation.value, kMark);
    return sql;
  }

  static constexpr int kRow = 0;
  static constexpr int kLane = 1;
  static constexpr int kMark = 2;

  const Projection projection_;
  Connection& connection_;
};

class ProfileTables final : public RowTables {
 public:
  ProfileTables(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  void Make(Generation generation) override {
    connection_.Execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} (user_id BIGINT UNSIGNED NOT NULL, deleted TINYINT NOT NULL "
        "DEFAULT 0, name VARBINARY(256) NULL, avatar_url VARBINARY(2048) NULL, bio "
        "VARBINARY(4096) NULL, verified TINYINT NOT NULL DEFAULT 0, version BIGINT NOT NULL, "
        "PRIMARY KEY (user_id)) ENGINE = InnoDB",
        Table(generation)));
  }
  void FinishLoading(Generation /*generation*/) override {}

  std::unique_ptr<RowStore> Open(Generation /*generation*/) override {
    return std::make_unique<NoQuestions>();
  }
  std::unique_ptr<RowReader> OpenReader() override {
    return std::make_unique<MysqlProfiles>(projection_, connection_);
  }

  std::vector<RowImage> Images(Generation generation, const RowKey& after, UserId last,
                               std::size_t limit) override {
    // A user has one row: behind any key of his nothing more of him stands.
    Rows rows = connection_.Query(fmt::format(
        "SELECT {} FROM {} FORCE INDEX ({}) WHERE user_id > {} AND user_id <= {} ORDER BY user_id "
        "LIMIT {}",
        kProfileColumns, Table(generation), kPrimaryIndex, after.user.value, last.value, limit));
    std::vector<RowImage> images;
    while (rows.Next()) images.push_back(ImageOf(rows));
    return images;
  }

  std::vector<RowState> StatesOf(Generation generation, std::span<const RowKey> keys) override {
    std::vector<RowState> states(keys.size());
    if (keys.empty()) return states;
    std::string sql = fmt::format("SELECT {} FROM {} FORCE INDEX ({}) WHERE user_id IN (",
                                  kProfileColumns, Table(generation), kPrimaryIndex);
    AppendList(sql, keys, ",",
               [](std::string& text, const RowKey& key) { AppendNumber(text, key.user.value); });
    sql += ")";
    Rows rows = connection_.Query(sql);
    while (rows.Next()) {
      const RowImage image = ImageOf(rows);
      const auto at = std::ranges::lower_bound(keys, image.key) - keys.begin();
      states[static_cast<std::size_t>(at)] = image.state;
    }
    return states;
  }

  void Mend(Generation generation, const RepairPlan& plan) override {
    for (const RowKey& key : plan.deletions) {
      connection_.Execute(
          fmt::format("DELETE FROM {} WHERE user_id = {}", Table(generation), key.user.value));
    }
    for (const ProfileWrite& write : MendedBy(plan)) {
      std::string sql =
          fmt::format("REPLACE INTO {} ({}) VALUES ", Table(generation), kProfileColumns);
      AppendRow(sql, write);
      connection_.Execute(sql);
    }
  }

  void Write(const RowWrites& rows, Generation generation, Bundle& bundle) override {
    std::string sql;
    for (const ProfileWrite& write : ProfilesOf(rows).profiles) {
      sql += sql.empty()
                 ? fmt::format("INSERT INTO {} ({}) VALUES ", Table(generation), kProfileColumns)
                 : ", ";
      AppendRow(sql, write);
      if (sql.size() > kStatementBytesMax) Send(std::exchange(sql, {}), bundle);
    }
    if (!sql.empty()) Send(std::move(sql), bundle);
  }
  void WriteShared(const RowWrites&, Generation, Bundle&) override {}

 private:
  static RowImage ImageOf(const Rows& row) {
    return {{UserId(row.U64(0)), UserId(0)}, StateOf(ReadProfileRow(row))};
  }
  static void Send(std::string sql, Bundle& bundle) {
    AppendNewerCounts(sql);
    bundle.Add(sql);
  }
  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
  Connection& connection_;
};

}  // namespace

std::unique_ptr<RowTables> NewProfileTables(Projection projection, Connection& connection) {
  return std::make_unique<ProfileTables>(projection, connection);
}

}  // namespace fanfold::mysql
