#include "common/sqlite/post_tables.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/sql/post_columns.h"
#include "common/sqlite/keyed_tables.h"
#include "common/sqlite/post_reader.h"

namespace fanfold::sqlite {
namespace {

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

struct SqlitePostTable : PostTable {
  static constexpr std::string_view kDefinition =
      "author_id INTEGER NOT NULL, post_id INTEGER NOT NULL, type INTEGER NOT NULL, score INTEGER "
      "NOT NULL, active INTEGER NOT NULL, version INTEGER NOT NULL, content BLOB NOT NULL";

  static void AddIndexes(Connection& connection, const std::string& table) {
    connection.Execute(
        fmt::format("CREATE INDEX IF NOT EXISTS {0}_page ON {0} ({1})", table, kPageColumns));
  }
  static Statement& Bind(Statement& statement, const PostWrite& write) {
    const PostRow& row = write.row;
    return statement.Bind(write.key.user.value, write.key.other.value, row.post_type, row.score,
                          row.active, row.version.value, Blob{row.content});
  }
};

class PostTables final : public KeyedTables<SqlitePostTable> {
 public:
  using KeyedTables::KeyedTables;

  std::unique_ptr<RowStore> Open(std::shared_ptr<SqliteTables> tables,
                                 Generation generation) const override {
    return std::make_unique<SqlitePosts>(std::move(tables), TableOfRows(generation));
  }
  std::unique_ptr<RowReader> OpenReader(Connection& connection) const override {
    return NewPostReader(projection(), connection);
  }
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
