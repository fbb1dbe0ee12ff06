#include "common/sqlite/feed_tables.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "common/sql/feed_columns.h"
#include "common/sqlite/inbox_tables.h"
#include "common/sqlite/keyed_tables.h"
#include "common/sqlite/shown_reader.h"

namespace fanfold::sqlite {
namespace {

struct SqliteFeedTable : FeedTable {
  static constexpr std::string_view kDefinition =
      "owner_id INTEGER NOT NULL, shown_id INTEGER NOT NULL, author_id INTEGER NOT NULL, post_id "
      "INTEGER NOT NULL, at_ms INTEGER NOT NULL, active INTEGER NOT NULL, version INTEGER NOT NULL";

  static void AddIndexes(Connection& connection, const std::string& table) {
    connection.Execute(
        fmt::format("CREATE INDEX IF NOT EXISTS {0}_page ON {0} ({1})", table, kPageColumns));
    connection.Execute(fmt::format("CREATE INDEX IF NOT EXISTS {0}_{1} ON {0} ({2})", table,
                                   kPostIndex, kPostIndexColumns));
  }
  static Statement& Bind(Statement& statement, const FeedWrite& write) {
    const FeedRow& row = write.row;
    return statement.Bind(write.key.user.value, write.key.other.value, row.author.value,
                          row.post_id.value, row.at_ms, row.active, row.version.value);
  }
};

class FeedTables final : public KeyedTables<SqliteFeedTable> {
 public:
  using KeyedTables::KeyedTables;

  // A fold reads nothing before it writes; inboxes are of no generation.
  std::unique_ptr<RowStore> Open(std::shared_ptr<SqliteTables> tables,
                                 Generation /*generation*/) const override {
    return NewInboxTables(std::move(tables));
  }
  std::unique_ptr<RowReader> OpenReader(Connection& connection) const override {
    return NewShownReader(projection(), connection);
  }
};

}  // namespace

std::unique_ptr<const RowTables> NewFeedTables(Projection projection) {
  return std::make_unique<FeedTables>(projection);
}

}  // namespace fanfold::sqlite
