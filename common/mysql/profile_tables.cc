#include "common/mysql/profile_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/mysql/erasures.h"
#include "common/mysql/index_names.h"
#include "common/mysql/keyed_tables.h"
#include "common/mysql/sql_text.h"
#include "common/ports/profile_reader.h"
#include "common/ports/profile_store.h"
#include "common/sql/profile_columns.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {
namespace {

void AppendText(std::string& sql, const std::optional<std::string>& text) {
  text ? AppendBytes(sql, *text) : void(sql += "NULL");
}

void AppendProfileRow(std::string& sql, const ProfileWrite& write) {
  const Profile none;
  const Profile& profile = write.row.profile ? *write.row.profile : none;
  fmt::format_to(std::back_inserter(sql), "({}, {}, ", write.user.value,
                 static_cast<int>(AccountOf(write.row)));
  for (const auto* text : {&profile.name, &profile.avatar_url, &profile.bio}) {
    AppendText(sql, *text);
    sql += ", ";
  }
  fmt::format_to(std::back_inserter(sql), "{}, {})", profile.verified ? 1 : 0,
                 write.row.version.value);
}

// The clause behind the rows of an INSERT. An assignment sees the columns that were assigned before
// it. So the guard's own columns come last: `version`, then `deleted`, which asks whether `version`
// has moved.
void AppendWhatMoves(std::string& sql) {
  const std::string moves =
      "VALUES(version) > version AND " + fmt::format(kMovesAccount, "VALUES(deleted)", "deleted");
  sql += " ON DUPLICATE KEY UPDATE ";
  for (const std::string_view column : {"name", "avatar_url", "bio", "verified", "version"}) {
    fmt::format_to(std::back_inserter(sql), "{0} = IF({1}, VALUES({0}), {0}), ", column, moves);
  }
  sql += "deleted = IF(version = VALUES(version), VALUES(deleted), deleted)";
}

void AppendErasure(std::string& sql, const Erasure& erasure) {
  const EraseStage stage = erasure.progress.stage;
  fmt::format_to(std::back_inserter(sql), "({}, {}, {}, {}, {}, {}, ", erasure.key.user.value,
                 erasure.key.version.value, erasure.asked_ms, static_cast<int>(stage),
                 IsOpen(stage) ? 1 : 0, stage == EraseStage::kUnmeasured ? kDrawn : "0");
  AppendBytes(sql, EndsToKeep(erasure));
  sql += ')';
}

// One statement: rows, lanes, erasures and the repair mark, told apart by their last column.
class MysqlProfiles final : public ProfileReader {
 public:
  MysqlProfiles(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<ProfileView> Read(Generation generation, std::span<const UserId> users) override {
    return connection_.Run([&] { return ReadView(generation, users); });
  }

  Result<OpenWork> Open() override {
    return connection_.Run([&] {
      Rows rows = connection_.Query(
          "SELECT COUNT(*), COALESCE(MIN(asked_ms), 0) FROM erasures FORCE INDEX (open_erasures) "
          "WHERE is_open = 1");
      return rows.Next() ? OpenWork{kErasing, rows.I64(0), rows.I64(1)} : OpenWork();
    });
  }

  Result<std::vector<Erasure>> OpenErasures(const std::optional<ErasureKey>& after,
                                            std::size_t limit) override {
    const ErasureKey key = after.value_or(ErasureKey());
    return connection_.Run([&] {
      Rows rows = connection_.Query(
          fmt::format("SELECT {0} FROM erasures FORCE INDEX (open_erasures) WHERE is_open = 1 AND "
                      "(user_id > {1} "
                      "OR (user_id = {1} AND version > {2})) ORDER BY user_id, version LIMIT {3}",
                      kErasureColumns, key.user.value, key.version.value, limit));
      std::vector<Erasure> erasures;
      while (rows.Next()) erasures.push_back(ReadErasure(rows));
      return erasures;
    });
  }

 private:
  ProfileView ReadView(Generation generation, std::span<const UserId> users) {
    ProfileView view;
    view.rows.resize(users.size());
    std::vector<std::pair<UserId, std::size_t>> places;
    places.reserve(users.size());
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
        case kErasure: {
          Erasure& erasure = view.erasures.emplace_back();
          erasure.key = {UserId(rows.U64(0)), Version(rows.I64(1))};
          erasure.progress.stage = KeptStage(rows.I32(5));
          if (!rows.IsNull(2)) erasure.progress.appended = KeptEnds(rows.Text(2));
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
      std::string among = "WHERE user_id IN (";
      AppendIds(among, users);
      sql = fmt::format(
          "SELECT {}, {} FROM {} FORCE INDEX ({}) {}) UNION ALL SELECT user_id, version, appended, "
          "NULL, NULL, stage, 0, {} FROM erasures e FORCE INDEX ({}) {}) AND {} UNION ALL ",
          kProfileColumns, kRow, TableOf(projection_.tables()[0], generation), kPrimaryIndex, among,
          kErasure, kPrimaryIndex, among, kFirstOpenOrLast);
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
  static constexpr int kErasure = 3;

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
    return NewErasures(connection_);
  }
  std::unique_ptr<RowReader> OpenReader() override {
    return std::make_unique<MysqlProfiles>(projection_, connection_);
  }

  std::vector<RowImage> Images(Generation generation, const RowKey& after, UserId last,
                               std::size_t limit) override {
    // A user has one row: behind any key of the user none follows.
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
      AppendProfileRow(sql, write);
      connection_.Execute(sql);
    }
  }

  void Write(const RowWrites& rows, Generation generation, Bundle& bundle) override {
    AddUpserts(bundle,
               fmt::format("INSERT INTO {} ({}) VALUES ", Table(generation), kProfileColumns),
               ProfilesOf(rows).profiles, AppendProfileRow, AppendWhatMoves);
    for (const Erasure& erasure : ProfilesOf(rows).erasures) {
      std::string begin =
          "INSERT INTO erasures (user_id, version, asked_ms, stage, is_open, behind, ends) VALUES ";
      AppendErasure(begin, erasure);
      bundle.Add(begin + " ON DUPLICATE KEY UPDATE version = erasures.version");
    }
  }
  void WriteShared(const RowWrites&, Generation, Bundle&) override {}

 private:
  static RowImage ImageOf(const Rows& row) {
    return {{UserId(row.U64(0)), UserId(0)}, StateOf(ReadProfileRow(row))};
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
