#include "common/mysql/feed_tables.h"

#include <fmt/format.h>
#include <iterator>
#include <string>

#include "common/mysql/inbox_tables.h"
#include "common/mysql/keyed_tables.h"
#include "common/mysql/shown_reader.h"
#include "common/sql/feed_columns.h"

namespace fanfold::mysql {
namespace {

struct MysqlFeedTable : FeedTable {
  static constexpr std::string_view kDefinition =
      "owner_id BIGINT UNSIGNED NOT NULL, shown_id BIGINT UNSIGNED NOT NULL, author_id BIGINT "
      "UNSIGNED NOT NULL, post_id BIGINT UNSIGNED NOT NULL, at_ms BIGINT NOT NULL, active TINYINT "
      "NOT NULL, version BIGINT NOT NULL";

  static std::string Indexes() {
    return fmt::format("ADD INDEX {} ({}), ADD INDEX {} ({})", kPageIndex, kPageColumns, kPostIndex,
                       kPostIndexColumns);
  }
  static void Append(std::string& sql, const FeedWrite& write) {
    const FeedRow& row = write.row;
    fmt::format_to(std::back_inserter(sql), "({},{},{},{},{},{},{})", write.key.user.value,
                   write.key.other.value, row.author.value, row.post_id.value, row.at_ms,
                   row.active ? 1 : 0, row.version.value);
  }
};

class FeedTables final : public KeyedTables<MysqlFeedTable> {
 public:
  using KeyedTables::KeyedTables;

  // A fold reads nothing before it writes; inboxes are of no generation.
  std::unique_ptr<RowStore> Open(Generation /*generation*/) override {
    return NewInboxTables(connection());
  }
  std::unique_ptr<RowReader> OpenReader() override {
    return NewShownReader(projection(), connection());
  }
};

}  // namespace

std::unique_ptr<RowTables> NewFeedTables(Projection projection, Connection& connection) {
  return std::make_unique<FeedTables>(projection, connection);
}

}  // namespace fanfold::mysql
