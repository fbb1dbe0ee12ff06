// A row of the table of feed state, whatever the database.
#pragma once

#include <array>
#include <vector>

#include "common/ports/feed_kind.h"
#include "common/ports/feed_store.h"
#include "common/ports/shown_reader.h"
#include "common/sql/flagged_state.h"
#include "common/sql/keyed_table.h"

namespace fanfold {

// The parts of a database's table of feed state.
struct FeedTable {
  using Write = FeedWrite;
  static constexpr std::array<std::string_view, 4> kSaid = {"author_id", "post_id", "at_ms",
                                                            "active"};
  static constexpr KeyedColumns kColumns{
      "owner_id", "shown_id", "owner_id, shown_id, author_id, post_id, at_ms, active, version",
      kSaid};
  // Pages, and the first time of each post.
  static constexpr std::string_view kPageColumns = "owner_id, active, version, author_id, post_id";
  static constexpr std::string_view kPostIndex = "of_post";
  static constexpr std::string_view kPostIndexColumns =
      "owner_id, author_id, post_id, active, version";

  [[nodiscard]] static const std::vector<FeedWrite>& RowsIn(const RowWrites& writes) {
    return FeedWritesOf(writes).shown;
  }
  // Requires: kColumns.
  template <class Row>
  [[nodiscard]] static RowState StateIn(const Row& row) {
    return FlaggedState(row.I64(5), StateOf(FeedRow{.author = UserId(row.U64(2)),
                                                    .post_id = PostId(row.U64(3)),
                                                    .at_ms = row.I64(4),
                                                    .active = row.I64(5) != 0,
                                                    .version = Version(row.I64(6))}));
  }
  [[nodiscard]] static std::vector<FeedWrite> Mended(const RepairPlan& plan);
};

// Requires: its columns are author_id, post_id, version and whether it is the first of the post.
template <class Row>
void TakeShown(const Row& row, ShownPage& page) {
  ++page.rows;
  page.last = Version(row.I64(2));
  // A look has no author.
  const bool is_first = row.I64(3) != 0 && row.U64(0) != 0;
  if (is_first) page.posts.push_back({UserId(row.U64(0)), PostId(row.U64(1)), page.last});
}

}  // namespace fanfold
