#include "common/sqlite/shown_reader.h"

#include <fmt/format.h>

#include "common/base/check.h"
#include "common/sql/feed_columns.h"
#include "common/sql/table_names.h"
#include "common/sqlite/inbox_tables.h"

namespace fanfold::sqlite {
namespace {

class SqliteShownReader final : public ShownReader {
 public:
  SqliteShownReader(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<ShownPage> Page(Generation generation, UserId owner, Version before,
                         std::size_t rows) override {
    FANFOLD_CHECK(rows <= kRowsMax, "too many rows are asked for");
    return connection_.Run([&] {
      ShownPage page;
      Statement select = connection_.Prepare(SelectShownText(Table(generation)));
      select.Bind(owner.value, before.value, rows);
      while (select.Next()) TakeShown(select, page);
      return page;
    });
  }

  Result<std::vector<bool>> WereShown(Generation generation, UserId owner,
                                      std::span<const RowKey> posts) override {
    FANFOLD_CHECK(posts.size() <= kPostsMax, "too many posts are asked for");
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      std::vector<bool> were_shown;
      Statement select = connection_.Prepare(SelectWasShownText(Table(generation)));
      for (const RowKey& post : posts) {
        select.Bind(owner.value, post.user.value, post.other.value);
        were_shown.push_back(select.Next());
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
  return std::make_unique<SqliteShownReader>(projection, connection);
}

std::string SelectShownText(const std::string& table) {
  return fmt::format(
      "SELECT author_id, post_id, version, version = (SELECT e.version FROM {0} e WHERE "
      "e.owner_id = ?1 AND e.author_id = t.author_id AND e.post_id = t.post_id AND e.active = 1 "
      "ORDER BY e.version LIMIT 1) FROM (SELECT author_id, post_id, version FROM {0} s WHERE "
      "owner_id = ?1 AND active = 1 AND version < ?2 ORDER BY version DESC LIMIT ?3) t ORDER BY "
      "version DESC",
      table);
}

std::string SelectWasShownText(const std::string& table) {
  return fmt::format(
      "SELECT 1 FROM {} WHERE owner_id = ?1 AND author_id = ?2 AND post_id = ?3 AND active = 1 "
      "LIMIT 1",
      table);
}

}  // namespace fanfold::sqlite
