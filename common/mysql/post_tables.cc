#include "common/mysql/post_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
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

// One statement: posts, the lane and the repair mark, told apart by their last column.
class MysqlPostReader final : public PostReader {
 public:
  MysqlPostReader(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<PostView> Page(Generation generation, UserId author, Partition partition,
                        const std::optional<PostPlace>& after, std::size_t limit) override {
    FANFOLD_CHECK(limit <= kPageMax, "too many posts are asked for");
    return View(generation, partition, SelectPostsOf(Table(generation), author, after, limit));
  }

  Result<PostView> One(Generation generation, UserId author, Partition partition,
                       PostId post) override {
    return View(generation, partition, SelectPost(Table(generation), author, post));
  }

 private:
  static constexpr int kPost = 0;
  static constexpr int kLane = 1;
  static constexpr int kMark = 2;

  Result<PostView> View(Generation generation, Partition partition, const std::string& posts) {
    return connection_.Run([&] {
      PostView view;
      Rows rows = connection_.Query(fmt::format(
          "SELECT p.*, {} FROM ({}) p UNION ALL SELECT 0, 0, 0, event_offset, event_offset < "
          "folded_offset, 0, NULL, {} FROM progress FORCE INDEX ({}) WHERE projection = '{}' AND "
          "generation = {} AND `partition` = {} AND stream = '{}' UNION ALL SELECT "
          "COALESCE(MAX(mark), 0), 0, 0, 0, 0, 0, NULL, {} FROM repairs",
          kPost, posts, kLane, kPrimaryIndex, ToString(projection_), generation.value,
          partition.value, projection_.stream().name(), kMark));
      while (rows.Next()) Take(rows, view);
      // A union promises no order.
      std::ranges::sort(view.posts, std::greater(), &ListedPost::place);
      return view;
    });
  }

  static void Take(const Rows& rows, PostView& view) {
    switch (rows.I32(7)) {
      case kPost:
        view.posts.push_back(ReadListedPost(rows));
        break;
      case kLane:
        view.position = Offset(rows.I64(3));
        view.rewound = rows.I64(4) != 0;
        break;
      default:
        view.repair_mark = rows.U64(0);
    }
  }

  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
  Connection& connection_;
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
    return std::make_unique<MysqlPostReader>(projection_, connection_);
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
