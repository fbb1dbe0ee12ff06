#include "common/mysql/post_tables.h"

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/mysql/keyed_tables.h"
#include "common/mysql/post_reader.h"
#include "common/sql/post_columns.h"

namespace fanfold::mysql {
namespace {

class MysqlPosts final : public PostStore {
 public:
  MysqlPosts(Connection& connection, std::string table)
      : connection_(connection), table_(std::move(table)) {}

  Result<std::vector<PostRow>> Load(std::span<const RowKey> keys) override {
    FANFOLD_CHECK(keys.size() <= kPostsMax, "too many posts are asked for");
    return connection_.Run([&] {
      std::vector<PostRow> loaded(keys.size());
      std::size_t at = 0;
      InPieces(keys, [&](std::span<const RowKey> piece) {
        std::string sql;
        AppendSelectKeyed(sql, table_, PostTable::kColumns, kPostHeadColumns, piece);
        Rows rows = connection_.Query(sql);
        while (rows.Next()) {
          at = IndexOf(keys, ReadRowKey(rows), at);
          loaded[at] = ReadPostHead(rows);
        }
      });
      return loaded;
    });
  }

 private:
  Connection& connection_;
  const std::string table_;
};

struct MysqlPostTable : PostTable {
  static constexpr std::string_view kDefinition =
      "author_id BIGINT UNSIGNED NOT NULL, post_id BIGINT UNSIGNED NOT NULL, type INT NOT NULL, "
      "score BIGINT NOT NULL, active TINYINT NOT NULL, version BIGINT NOT NULL, content "
      "VARBINARY(4096) NOT NULL";

  static std::string Indexes() {
    return fmt::format("ADD INDEX {} ({})", kPageIndex, kPageColumns);
  }
  static void Append(std::string& sql, const PostWrite& write) {
    const PostRow& row = write.row;
    fmt::format_to(std::back_inserter(sql), "({},{},{},{},{},{},", write.key.user.value,
                   write.key.other.value, row.post_type, row.score, row.active ? 1 : 0,
                   row.version.value);
    AppendBytes(sql, row.content);
    sql += ')';
  }
};

class PostTables final : public KeyedTables<MysqlPostTable> {
 public:
  using KeyedTables::KeyedTables;

  std::unique_ptr<RowStore> Open(Generation generation) override {
    return std::make_unique<MysqlPosts>(connection(), TableOfRows(generation));
  }
  std::unique_ptr<RowReader> OpenReader() override {
    return NewPostReader(projection(), connection());
  }
};

}  // namespace

std::unique_ptr<RowTables> NewPostTables(Projection projection, Connection& connection) {
  return std::make_unique<PostTables>(projection, connection);
}

}  // namespace fanfold::mysql
