// A row of the table of posts, whatever the database.
#pragma once

#include <array>
#include <vector>

#include "common/ports/post_reader.h"
#include "common/ports/post_store.h"
#include "common/sql/flagged_state.h"
#include "common/sql/keyed_table.h"

namespace fanfold {

inline constexpr const char* kPostColumns =
    "author_id, post_id, type, score, active, version, content";
// Without the content.
inline constexpr const char* kPostHeadColumns = "author_id, post_id, type, score, active, version";

// Requires: its columns are kPostHeadColumns, or kPostColumns.
template <class Row>
[[nodiscard]] PostRow ReadPostHead(const Row& row) {
  return {.post_type = row.I64(2),
          .content = {},
          .score = row.I64(3),
          .active = row.I64(4) != 0,
          .version = Version(row.I64(5))};
}
template <class Row>
[[nodiscard]] ListedPost ReadListedPost(const Row& row) {
  return {{row.I64(3), PostId(row.U64(1))}, row.I64(2), row.Text(6)};
}

// The parts of a database's table of posts.
struct PostTable {
  using Write = PostWrite;
  static constexpr std::array<std::string_view, 4> kSaid = {"type", "score", "active", "content"};
  static constexpr KeyedColumns kColumns{"author_id", "post_id", kPostColumns, kSaid};
  static constexpr std::string_view kPageColumns = "author_id, active, score, post_id";

  [[nodiscard]] static const std::vector<PostWrite>& RowsIn(const RowWrites& writes) {
    return PostsOf(writes).posts;
  }
  // Requires: its columns are kPostColumns.
  template <class Row>
  [[nodiscard]] static RowState StateIn(const Row& row) {
    PostRow read = ReadPostHead(row);
    read.content = row.Text(6);
    return FlaggedState(row.I64(4), StateOf(read));
  }
  [[nodiscard]] static std::vector<PostWrite> Mended(const RepairPlan& plan);
};

}  // namespace fanfold
