#include "common/sqlite/post_tables.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/sql/post_columns.h"
#include "common/sql/table_names.h"
#include "common/sqlite/post_reader.h"

namespace fanfold::sqlite {
namespace {

void WriteRow(Statement& statement, const PostWrite& write) {
  const PostRow& row = write.row;
  statement
      .Bind(write.key.user.value, write.key.other.value, row.post_type, row.score, row.active,
            row.version.value, Blob{row.content})
      .Execute();
}

class SqlitePosts final : public PostStore {
 public:
  SqlitePosts(std::shared_ptr<SqliteTables> tables, std::string table)
      : tables_(std::move(tables)), table_(std::move(table)) {}

  Result<std::vector<PostRow>> Load(std::span<const RowKey> keys) override {
    FANFOLD_CHECK(keys.size() <= kPostsMax, "too many posts are asked for");
    return tables_->Write([&](Connection& connection, std::int64_t) {
      // Not for what it sees: begun once, it takes the lock of a read once and not per row.
      Transaction transaction(connection, Access::kReads);
      Statement select = connection.Prepare(SelectPostText(table_));
      std::vector<PostRow> rows;
      for (const RowKey& key : keys) {
        select.Bind(key.user.value, key.other.value);
        rows.push_back(select.Next() ? ReadPostHead(select) : PostRow());
      }
      return rows;
    });
  }

 private:
  const std::shared_ptr<SqliteTables> tables_;
  const std::string table_;
};

class PostTables final : public RowTables {
 public:
  explicit PostTables(Projection projection) : projection_(projection) {}

  void Make(Connection& connection, Generation generation) const override {
    connection.Execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} (author_id INTEGER NOT NULL, post_id INTEGER NOT NULL, type "
        "INTEGER NOT NULL, score INTEGER NOT NULL, active INTEGER NOT NULL, version INTEGER NOT "
        "NULL, content BLOB NOT NULL, PRIMARY KEY (author_id, post_id)) STRICT, WITHOUT ROWID",
        Table(generation)));
  }
  void FinishLoading(Connection& connection, Generation generation) const override {
    connection.Execute(fmt::format(
        "CREATE INDEX IF NOT EXISTS {0}_page ON {0} (author_id, active, score, post_id)",
        Table(generation)));
  }

  std::unique_ptr<RowStore> Open(std::shared_ptr<SqliteTables> tables,
                                 Generation generation) const override {
    return std::make_unique<SqlitePosts>(std::move(tables), Table(generation));
  }
  std::unique_ptr<RowReader> OpenReader(Connection& connection) const override {
    return NewPostReader(projection_, connection);
  }

  std::vector<RowImage> Images(Connection& connection, Generation generation, const RowKey& after,
                               UserId last, std::size_t limit) const override {
    Statement select = connection.Prepare(
        fmt::format("SELECT {} FROM {} WHERE (author_id, post_id) > (?1, ?2) AND author_id <= ?4 "
                    "ORDER BY author_id, post_id LIMIT ?3",
                    kPostColumns, Table(generation)));
    select.Bind(after.user.value, after.other.value, limit, last.value);
    std::vector<RowImage> images;
    while (select.Next()) images.push_back(PostImageOf(select));
    return images;
  }

  std::vector<RowState> StatesOf(Connection& connection, Generation generation,
                                 std::span<const RowKey> keys) const override {
    Statement select =
        connection.Prepare(fmt::format("SELECT {} FROM {} WHERE author_id = ?1 AND post_id = ?2",
                                       kPostColumns, Table(generation)));
    std::vector<RowState> states;
    for (const RowKey& key : keys) {
      select.Bind(key.user.value, key.other.value);
      states.push_back(select.Next() ? StateOf(ReadPostRow(select)) : RowState());
    }
    return states;
  }

  void Mend(Connection& connection, Generation generation, const RepairPlan& plan) const override {
    for (const RowKey& key : plan.deletions) {
      connection.Execute(
          fmt::format("DELETE FROM {} WHERE author_id = ?1 AND post_id = ?2", Table(generation)),
          key.user.value, key.other.value);
    }
    Statement replace =
        connection.Prepare(fmt::format("REPLACE INTO {} ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                                       Table(generation), kPostColumns));
    for (const PostWrite& write : PostsMendedBy(plan)) WriteRow(replace, write);
  }

  void Write(Connection& connection, const RowWrites& rows, Generation generation) const override {
    Statement upsert = connection.Prepare(fmt::format(
        "INSERT INTO {0} ({1}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET "
        "type = excluded.type, score = excluded.score, active = excluded.active, content = "
        "excluded.content, version = excluded.version WHERE excluded.version > {0}.version",
        Table(generation), kPostColumns));
    for (const PostWrite& write : PostsOf(rows).posts) WriteRow(upsert, write);
  }

 private:
  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
};

}  // namespace

std::unique_ptr<const RowTables> NewPostTables(Projection projection) {
  return std::make_unique<PostTables>(projection);
}

std::string SelectPostText(const std::string& table) {
  return fmt::format("SELECT {} FROM {} WHERE author_id = ?1 AND post_id = ?2", kPostHeadColumns,
                     table);
}

}  // namespace fanfold::sqlite
