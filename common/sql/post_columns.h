// A row of the table of posts, whatever the database.
#pragma once

#include <vector>

#include "common/ports/post_reader.h"
#include "common/ports/post_store.h"
#include "common/sql/repair_plan.h"

namespace fanfold {

inline constexpr const char* kPostColumns =
    "author_id, post_id, type, score, active, version, content";
// Without the content.
inline constexpr const char* kPostHeadColumns = "author_id, post_id, type, score, active, version";

// Requires: its columns are kPostHeadColumns, or kPostColumns.
template <class Row>
[[nodiscard]] RowKey ReadPostKey(const Row& row) {
  return {UserId(row.U64(0)), UserId(row.U64(1))};
}
template <class Row>
[[nodiscard]] PostRow ReadPostHead(const Row& row) {
  return {.post_type = row.I64(2),
          .content = {},
          .score = row.I64(3),
          .active = row.I64(4) != 0,
          .version = Version(row.I64(5))};
}
// Requires: its columns are kPostColumns.
template <class Row>
[[nodiscard]] PostRow ReadPostRow(const Row& row) {
  PostRow read = ReadPostHead(row);
  read.content = row.Text(6);
  return read;
}
template <class Row>
[[nodiscard]] ListedPost ReadListedPost(const Row& row) {
  return {{row.I64(3), PostId(row.U64(1))}, row.I64(2), row.Text(6)};
}
template <class Row>
[[nodiscard]] RowImage PostImageOf(const Row& row) {
  return {ReadPostKey(row), StateOf(ReadPostRow(row))};
}

// The rows that a repair writes, as their records say them.
[[nodiscard]] std::vector<PostWrite> PostsMendedBy(const RepairPlan& plan);

}  // namespace fanfold
