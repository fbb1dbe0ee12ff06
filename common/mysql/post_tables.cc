#include "common/mysql/post_tables.h"

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
#include "common/mysql/post_reader.h"
#include "common/mysql/post_rows.h"
#include "common/mysql/sql_text.h"
#include "common/sql/post_columns.h"
#include "common/sql/table_names.h"

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
        AppendSelectPosts(sql, table_, piece);
        Rows rows = connection_.Query(sql);
        while (rows.Next()) {
          at = IndexOf(keys, ReadPostKey(rows), at);
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

class PostTables final : public RowTables {
 public:
  PostTables(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  void Make(Generation generation) override {
    connection_.Execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS {} (author_id BIGINT UNSIGNED NOT NULL, post_id BIGINT "
        "UNSIGNED NOT NULL, type INT NOT NULL, score BIGINT NOT NULL, active TINYINT NOT NULL, "
        "version BIGINT NOT NULL, content VARBINARY(4096) NOT NULL, PRIMARY KEY (author_id, "
        "post_id)) ENGINE = InnoDB",
        Table(generation)));
  }
  void FinishLoading(Generation generation) override {
    const std::string table = Table(generation);
    if (HasPageIndex(connection_, table)) return;
    connection_.Execute(fmt::format(
        "ALTER TABLE {} ADD INDEX {} (author_id, active, score, post_id)", table, kPageIndex));
  }

  std::unique_ptr<RowStore> Open(Generation generation) override {
    return std::make_unique<MysqlPosts>(connection_, Table(generation));
  }
  std::unique_ptr<RowReader> OpenReader() override {
    return NewPostReader(projection_, connection_);
  }

  std::string_view user_column() const override { return "author_id"; }
  std::vector<RowImage> Images(Generation generation, const RowKey& after, UserId last,
                               std::size_t limit) override {
    // Of a comparison of row values the optimizer makes no range of the key.
    Rows rows = connection_.Query(fmt::format(
        "(SELECT {0} FROM {1} FORCE INDEX ({2}) WHERE author_id = {3} AND post_id > {4} ORDER BY "
        "author_id, post_id LIMIT {5}) UNION ALL (SELECT {0} FROM {1} FORCE INDEX ({2}) WHERE "
        "author_id > {3} AND author_id <= {6} ORDER BY author_id, post_id LIMIT {5}) ORDER BY 1, 2 "
        "LIMIT {5}",
        kPostColumns, Table(generation), kPrimaryIndex, after.user.value, after.other.value, limit,
        last.value));
    std::vector<RowImage> images;
    while (rows.Next()) images.push_back(PostImageOf(rows));
    return images;
  }

  std::vector<RowState> StatesOf(Generation generation, std::span<const RowKey> keys) override {
    std::vector<RowState> states(keys.size());
    std::size_t at = 0;
    InPieces(keys, [&](std::span<const RowKey> piece) {
      std::string sql;
      AppendSelectPosts(sql, Table(generation), piece, /*whole=*/true);
      Rows rows = connection_.Query(sql);
      while (rows.Next()) {
        at = IndexOf(keys, ReadPostKey(rows), at);
        states[at] = StateOf(ReadPostRow(rows));
      }
    });
    return states;
  }

  void Mend(Generation generation, const RepairPlan& plan) override {
    for (const RowKey& key : plan.deletions) {
      connection_.Execute(fmt::format("DELETE FROM {} WHERE author_id = {} AND post_id = {}",
                                      Table(generation), key.user.value, key.other.value));
    }
    for (const PostWrite& write : PostsMendedBy(plan)) {
      std::string sql =
          fmt::format("REPLACE INTO {} ({}) VALUES ", Table(generation), kPostColumns);
      AppendPost(sql, write);
      connection_.Execute(sql);
    }
  }

  void Write(const RowWrites& rows, Generation generation, Bundle& bundle) override {
    AddUpserts(bundle, fmt::format("INSERT INTO {} ({}) VALUES ", Table(generation), kPostColumns),
               PostsOf(rows).posts, AppendPost, AppendNewerPostCounts);
  }
  void WriteShared(const RowWrites&, Generation, Bundle&) override {}

 private:
  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
  Connection& connection_;
};

}  // namespace

std::unique_ptr<RowTables> NewPostTables(Projection projection, Connection& connection) {
  return std::make_unique<PostTables>(projection, connection);
}

}  // namespace fanfold::mysql
