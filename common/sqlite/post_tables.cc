#include "common/sqlite/post_tables.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/sql/post_columns.h"
#include "common/sql/table_names.h"

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

class SqlitePostReader final : public PostReader {
 public:
  SqlitePostReader(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<PostView> Page(Generation generation, UserId author, Partition partition,
                        const std::optional<PostPlace>& after, std::size_t limit) override {
    FANFOLD_CHECK(limit <= kPageMax, "too many posts are asked for");
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      PostView view = ViewOf(generation, partition);
      Statement select = connection_.Prepare(SelectPostsText(Table(generation), after.has_value()));
      if (after) {
        select.Bind(author.value, limit, after->score, after->post_id.value);
      } else {
        select.Bind(author.value, limit);
      }
      while (select.Next()) view.posts.push_back(ReadListedPost(select));
      return view;
    });
  }

  Result<PostView> One(Generation generation, UserId author, Partition partition,
                       PostId post) override {
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      PostView view = ViewOf(generation, partition);
      Statement select = connection_.Prepare(
          fmt::format("SELECT {} FROM {} WHERE author_id = ?1 AND post_id = ?2 AND active = 1",
                      kPostColumns, Table(generation)));
      select.Bind(author.value, post.value);
      if (select.Next()) view.posts.push_back(ReadListedPost(select));
      return view;
    });
  }

 private:
  // Without posts.
  PostView ViewOf(Generation generation, Partition partition) {
    PostView view;
    Statement lane = connection_.Prepare(
        "SELECT event_offset, event_offset < folded_offset FROM progress WHERE projection = ?1 AND "
        "generation = ?2 AND `partition` = ?3 AND stream = ?4");
    lane.Bind(ToString(projection_), generation.value, partition.value,
              projection_.stream().name());
    if (lane.Next()) {
      view.position = Offset(lane.I64(0));
      view.rewound = lane.I64(1) != 0;
    }
    Statement mark = connection_.Prepare("SELECT COALESCE(MAX(mark), 0) FROM repairs");
    if (mark.Next()) view.repair_mark = mark.U64(0);
    return view;
  }
  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
  Connection& connection_;
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
    return std::make_unique<SqlitePostReader>(projection_, connection);
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

std::string SelectPostsText(const std::string& table, bool is_behind) {
  return fmt::format(
      "SELECT {} FROM {} WHERE author_id = ?1 AND active = 1{} ORDER BY score DESC, post_id DESC "
      "LIMIT ?2",
      kPostColumns, table, is_behind ? " AND (score, post_id) < (?3, ?4)" : "");
}

}  // namespace fanfold::sqlite
