#include "common/sqlite/profile_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/profile_reader.h"
#include "common/ports/profile_store.h"
#include "common/sql/profile_columns.h"
#include "common/sql/table_names.h"

namespace fanfold::sqlite {
namespace {

std::optional<Blob> BlobOf(const std::optional<std::string>& text) {
  return text ? std::optional(Blob{*text}) : std::nullopt;
}

void WriteRow(Statement& statement, const ProfileWrite& write) {
  const Profile none;
  const Profile& profile = write.row.profile ? *write.row.profile : none;
  statement
      .Bind(write.user.value, static_cast<int>(AccountOf(write.row)), BlobOf(profile.name),
            BlobOf(profile.avatar_url), BlobOf(profile.bio), profile.verified,
            write.row.version.value)
      .Execute();
}

class SqliteErasures final : public ErasureStore {
 public:
  explicit SqliteErasures(std::shared_ptr<SqliteTables> tables) : tables_(std::move(tables)) {}

  Status Move(const Erasure& from, const Erasure& to) override {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      const std::int64_t moved = connection.Execute(
          "UPDATE erasures SET stage = ?1, is_open = ?2, behind = ?3, appended = ?4, ends = ?5 "
          "WHERE user_id = ?6 AND version = ?7 AND stage = ?8 AND behind = ?9 AND ends = ?10",
          static_cast<int>(to.progress.stage), IsOpen(to.progress.stage), to.progress.behind.value,
          Blob{EncodeStreamEnds(to.progress.appended)}, Blob{EndsToKeep(to)}, from.key.user.value,
          from.key.version.value, static_cast<int>(from.progress.stage), from.progress.behind.value,
          Blob{EndsToKeep(from)});
      if (moved == 0) throw Failure(ErrorCode::kConflict, "somebody else has moved the erasure");
    });
  }

  Result<std::vector<UserId>> Deleted(bool open, std::size_t limit) override {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      Statement select =
          connection.Prepare("SELECT DISTINCT user_id FROM erasures WHERE is_open >= ?1 LIMIT ?2");
      select.Bind(open, limit);
      std::vector<UserId> users;
      while (select.Next()) users.emplace_back(select.U64(0));
      return users;
    });
  }

  Result<std::vector<Erasure>> Ended(std::span<const UserId> users) override {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      Statement select = connection.Prepare(EndedText("?1"));
      std::vector<Erasure> ended;
      for (const UserId user : users) {
        select.Bind(user.value);
        std::ranges::move(ReadEnded(select), std::back_inserter(ended));
      }
      return ended;
    });
  }

 private:
  const std::shared_ptr<SqliteTables> tables_;
};

class SqliteProfiles final : public ProfileReader {
 public:
  SqliteProfiles(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<ProfileView> Read(Generation generation, std::span<const UserId> users) override {
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      return ProfileView{RowsOf(generation, users), LanesOf(generation), RepairMark(),
                         ErasuresOf(users)};
    });
  }

  Result<OpenWork> Open() override {
    return connection_.Run([&] {
      Statement select = connection_.Prepare(
          "SELECT COUNT(*), COALESCE(MIN(asked_ms), 0) FROM erasures WHERE is_open = 1");
      return select.Next() ? OpenWork{kErasing, select.I64(0), select.I64(1)} : OpenWork();
    });
  }

  Result<std::vector<Erasure>> OpenErasures(const std::optional<ErasureKey>& after,
                                            std::size_t limit) override {
    const ErasureKey key = after.value_or(ErasureKey());
    return connection_.Run([&] {
      Statement select = connection_.Prepare(fmt::format(
          "SELECT {} FROM erasures WHERE is_open = 1 AND (user_id, version) > (?1, ?2) ORDER BY "
          "user_id, version LIMIT ?3",
          kErasureColumns));
      select.Bind(key.user.value, key.version.value, limit);
      std::vector<Erasure> erasures;
      while (select.Next()) erasures.push_back(ReadErasure(select));
      return erasures;
    });
  }

 private:
  std::vector<Erasure> ErasuresOf(std::span<const UserId> users) {
    Statement select = connection_.Prepare(
        fmt::format("SELECT user_id, version, asked_ms, NULL, stage, behind, appended FROM "
                    "erasures e WHERE user_id = ?1 AND {} ORDER BY version",
                    kFirstOpenOrLast));
    std::vector<Erasure> erasures;
    for (const UserId user : users) {
      select.Bind(user.value);
      while (select.Next()) erasures.push_back(ReadErasure(select));
    }
    return erasures;
  }

  std::vector<ProfileRow> RowsOf(Generation generation, std::span<const UserId> users) {
    Statement select =
        connection_.Prepare(fmt::format("SELECT {} FROM {} WHERE user_id = ?1", kProfileColumns,
                                        TableOf(projection_.tables()[0], generation)));
    std::vector<ProfileRow> rows;
    for (const UserId user : users) {
      select.Bind(user.value);
      rows.push_back(select.Next() ? ReadProfileRow(select) : ProfileRow());
    }
    return rows;
  }

  std::vector<ProfileLane> LanesOf(Generation generation) {
    Statement select = connection_.Prepare(
        "SELECT `partition`, event_offset, event_offset < folded_offset FROM progress WHERE "
        "projection = ?1 AND generation = ?2 ORDER BY `partition`");
    select.Bind(ToString(projection_), generation.value);
    std::vector<ProfileLane> lanes;
    while (select.Next()) {
      lanes.push_back({Partition(select.I32(0)), Offset(select.I64(1)), select.I64(2) != 0});
    }
    return lanes;
  }

  std::uint64_t RepairMark() {
    Statement select = connection_.Prepare("SELECT COALESCE(MAX(mark), 0) FROM repairs");
    return select.Next() ? select.U64(0) : 0;
  }

  const Projection projection_;
  Connection& connection_;
};

class ProfileTables final : public RowTables {
 public:
  explicit ProfileTables(Projection projection) : projection_(projection) {}

  void Make(Connection& connection, Generation generation) const override {
    connection.Execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} (user_id INTEGER PRIMARY KEY, deleted INTEGER NOT NULL "
        "DEFAULT 0, name BLOB NULL, avatar_url BLOB NULL, bio BLOB NULL, verified INTEGER NOT NULL "
        "DEFAULT 0, version INTEGER NOT NULL) STRICT",
        Table(generation)));
  }
  void FinishLoading(Connection& /*connection*/, Generation /*generation*/) const override {}

  std::unique_ptr<RowStore> Open(std::shared_ptr<SqliteTables> tables,
                                 Generation /*generation*/) const override {
    return std::make_unique<SqliteErasures>(std::move(tables));
  }
  std::unique_ptr<RowReader> OpenReader(Connection& connection) const override {
    return std::make_unique<SqliteProfiles>(projection_, connection);
  }

  std::vector<RowImage> Images(Connection& connection, Generation generation, const RowKey& after,
                               UserId last, std::size_t limit) const override {
    // A user has one row: behind any key of the user none follows.
    Statement select = connection.Prepare(
        fmt::format("SELECT {} FROM {} WHERE user_id > ?1 AND user_id <= ?2 ORDER BY user_id LIMIT "
                    "?3",
                    kProfileColumns, Table(generation)));
    select.Bind(after.user.value, last.value, limit);
    std::vector<RowImage> images;
    while (select.Next()) {
      images.push_back({{UserId(select.U64(0)), UserId(0)}, StateOf(ReadProfileRow(select))});
    }
    return images;
  }

  std::vector<RowState> StatesOf(Connection& connection, Generation generation,
                                 std::span<const RowKey> keys) const override {
    Statement select = connection.Prepare(
        fmt::format("SELECT {} FROM {} WHERE user_id = ?1", kProfileColumns, Table(generation)));
    std::vector<RowState> states;
    for (const RowKey& key : keys) {
      select.Bind(key.user.value);
      states.push_back(select.Next() ? StateOf(ReadProfileRow(select)) : RowState());
    }
    return states;
  }

  void Mend(Connection& connection, Generation generation, const RepairPlan& plan) const override {
    for (const RowKey& key : plan.deletions) {
      connection.Execute(fmt::format("DELETE FROM {} WHERE user_id = ?1", Table(generation)),
                         key.user.value);
    }
    Statement replace =
        connection.Prepare(fmt::format("REPLACE INTO {} ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                                       Table(generation), kProfileColumns));
    for (const ProfileWrite& write : MendedBy(plan)) WriteRow(replace, write);
  }

  void Write(Connection& connection, const RowWrites& rows, Generation generation) const override {
    Statement upsert = connection.Prepare(fmt::format(
        "INSERT INTO {0} ({1}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET "
        "deleted = excluded.deleted, name = excluded.name, avatar_url = excluded.avatar_url, bio = "
        "excluded.bio, verified = excluded.verified, version = excluded.version WHERE "
        "excluded.version > {0}.version AND {2}",
        Table(generation), kProfileColumns,
        fmt::format(kMovesAccount, "excluded.deleted", Table(generation) + ".deleted")));
    for (const ProfileWrite& write : ProfilesOf(rows).profiles) WriteRow(upsert, write);
    for (const Erasure& erasure : ProfilesOf(rows).erasures) {
      const bool draws = erasure.progress.stage == EraseStage::kUnmeasured;
      connection.Execute(
          fmt::format("INSERT INTO erasures (user_id, version, asked_ms, ends, stage, is_open, "
                      "behind) VALUES (?1, ?2, ?3, ?4, ?5, ?6, {}) ON CONFLICT DO NOTHING",
                      draws ? kDrawn : "0"),
          erasure.key.user.value, erasure.key.version.value, erasure.asked_ms,
          Blob{EndsToKeep(erasure)}, static_cast<int>(erasure.progress.stage),
          IsOpen(erasure.progress.stage));
    }
  }

 private:
  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
};

}  // namespace

std::unique_ptr<const RowTables> NewProfileTables(Projection projection) {
  return std::make_unique<ProfileTables>(projection);
}

}  // namespace fanfold::sqlite
