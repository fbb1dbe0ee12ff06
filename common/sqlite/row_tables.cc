#include "common/sqlite/row_tables.h"

#include "common/ports/post_reader.h"
#include "common/ports/profile_reader.h"
#include "common/ports/shown_reader.h"
#include "common/sqlite/edge_tables.h"
#include "common/sqlite/feed_tables.h"
#include "common/sqlite/post_tables.h"
#include "common/sqlite/profile_tables.h"

namespace fanfold::sqlite {

namespace {

using Make = std::unique_ptr<const RowTables> (*)(Projection);
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

std::unique_ptr<const RowTables> NewRowTables(Projection projection) {
  return kKinds[projection](projection);
}

}  // namespace fanfold::sqlite
