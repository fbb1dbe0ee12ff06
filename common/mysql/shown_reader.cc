#include "common/mysql/shown_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "common/base/check.h"
#include "common/mysql/inbox_tables.h"
#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
#include "common/sql/feed_columns.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {
namespace {

class MysqlShownReader final : public ShownReader {
 public:
  MysqlShownReader(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<ShownPage> Page(Generation generation, UserId owner, Version before,
                         std::size_t rows) override {
    FANFOLD_CHECK(rows <= kRowsMax, "too many rows are asked for");
    return connection_.Run([&] {
      ShownPage page;
      Rows found = connection_.Query(SelectShown(Table(generation), owner, before, rows));
      while (found.Next()) TakeShown(found, page);
      return page;
    });
  }

  Result<std::vector<bool>> WereShown(Generation generation, UserId owner,
                                      std::span<const RowKey> posts) override {
    FANFOLD_CHECK(posts.size() <= kPostsMax, "too many posts are asked for");
    return connection_.Run([&] {
      std::vector<bool> were_shown(posts.size());
      if (posts.empty()) return were_shown;
      std::string sql;
      AppendSelectWereShown(sql, Table(generation), owner, posts);
      Rows rows = connection_.Query(sql);
      while (rows.Next()) {
        const auto at = std::ranges::find(posts, ReadRowKey(rows)) - posts.begin();
        were_shown.at(static_cast<std::size_t>(at)) = true;
      }
      return were_shown;
    });
  }

  Result<std::optional<InboxView>> Inbox(const InboxQuestion& question) override {
    return connection_.Run([&] { return ReadInboxIn(connection_, question); });
  }

 private:
  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
  Connection& connection_;
};

}  // namespace

std::unique_ptr<ShownReader> NewShownReader(Projection projection, Connection& connection) {
  return std::make_unique<MysqlShownReader>(projection, connection);
}

std::string SelectShown(const std::string& table, UserId owner, Version before, std::size_t rows) {
  return fmt::format(
      "SELECT author_id, post_id, version, version = (SELECT e.version FROM {0} e FORCE INDEX "
      "({4}) WHERE e.owner_id = {2} AND e.author_id = t.author_id AND e.post_id = t.post_id AND "
      "e.active = 1 ORDER BY e.version LIMIT 1) FROM (SELECT author_id, post_id, version FROM {0} "
      "s FORCE INDEX ({1}) WHERE owner_id = {2} AND active = 1 AND version < {3} ORDER BY version "
      "DESC LIMIT {5}) t ORDER BY version DESC",
      table, kPageIndex, owner.value, before.value, FeedTable::kPostIndex, rows);
}

void AppendSelectWereShown(std::string& sql, const std::string& table, UserId owner,
                           std::span<const RowKey> posts) {
  sql += "WITH k (author_id, post_id) AS (VALUES ";
  AppendKeys(sql, posts);
  // With a limit it is not made a join that reads all of the owner.
  fmt::format_to(
      std::back_inserter(sql),
      ") SELECT author_id, post_id FROM k WHERE (SELECT 1 FROM {} t FORCE INDEX ({}) WHERE "
      "t.owner_id = {} AND t.author_id = k.author_id AND t.post_id = k.post_id AND "
      "t.active = 1 LIMIT 1) = 1",
      table, FeedTable::kPostIndex, owner.value);
}

}  // namespace fanfold::mysql
