#include "common/ports/row_kinds.h"

#include "common/ports/edge_kind.h"
#include "common/ports/feed_kind.h"
#include "common/ports/post_kind.h"
#include "common/ports/post_reader.h"
#include "common/ports/profile_kind.h"
#include "common/ports/profile_reader.h"
#include "common/ports/shown_reader.h"

namespace fanfold {
namespace {

constexpr auto kKinds = [] {
  PerProjection<const RowKind*> kinds;
  kinds[projections::kFollowing] = &kEdges;
  kinds[projections::kFans] = &kEdges;
  kinds[projections::kProfiles] = &kProfileRows;
  kinds[projections::kPosts] = &kPostRows;
  kinds[projections::kFeed] = &kFeedRows;
  return kinds;
}();
static_assert(kKinds.IsComplete());

}  // namespace

const RowKind& KindOf(Projection projection) { return *kKinds[projection]; }

std::optional<DifferenceKind> Compare(Projection projection, const RowState& found,
                                      const RowState& expected) {
  if (found == expected) return std::nullopt;
  if (SaysNothing(found)) return DifferenceKind::kMissingRow;
  if (SaysNothing(expected)) return DifferenceKind::kExtraRow;
  return KindOf(projection).compare(found, expected);
}

std::string Describe(Projection projection, const RowState& state) {
  return SaysNothing(state) ? "no row" : KindOf(projection).describe(state);
}

}  // namespace fanfold
