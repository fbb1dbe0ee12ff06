#include "common/mysql/row_tables.h"

#include <fmt/format.h>

#include "common/mysql/edge_tables.h"
#include "common/mysql/feed_tables.h"
#include "common/mysql/index_names.h"
#include "common/mysql/post_tables.h"
#include "common/mysql/profile_tables.h"
#include "common/ports/post_reader.h"
#include "common/ports/profile_reader.h"
#include "common/ports/shown_reader.h"

namespace fanfold::mysql {

namespace {

using Make = std::unique_ptr<RowTables> (*)(Projection, Connection&);
constexpr auto kKinds = [] {
  PerProjection<Make> kinds;
  kinds[projections::kFollowing] = NewEdgeTables;
  kinds[projections::kFans] = NewEdgeTables;
  kinds[projections::kProfiles] = NewProfileTables;
  kinds[projections::kPosts] = NewPostTables;
  kinds[projections::kFeed] = NewFeedTables;
  return kinds;
}();
static_assert(kKinds.IsComplete());

}  // namespace

bool HasPageIndex(Connection& connection, std::string_view table) {
  Rows rows = connection.Query(
      fmt::format("SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = "
                  "DATABASE() AND TABLE_NAME = '{}' AND INDEX_NAME = '{}'",
                  table, kPageIndex));
  return rows.Next() && rows.I64(0) > 0;
}

std::unique_ptr<RowTables> NewRowTables(Projection projection, Connection& connection) {
  return kKinds[projection](projection, connection);
}

}  // namespace fanfold::mysql
