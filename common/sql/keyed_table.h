// Tables of rows by a user and another id, whatever the database.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/ports/row_image.h"
#include "common/sql/failure.h"
#include "common/sql/repair_plan.h"

namespace fanfold {

struct KeyedColumns {
  std::string_view user;   // the first column, and of the key
  std::string_view other;  // the second
  std::string_view all;    // in their order, with commas
  // A row's columns beside key and version.
  std::span<const std::string_view> said;
};

// Requires: its columns begin with the key.
template <class Row>
[[nodiscard]] RowKey ReadRowKey(const Row& row) {
  return {UserId(row.U64(0)), UserId(row.U64(1))};
}

// The rows that a repair writes, as their records say them: row_of(record, version) reads one; it
// was read a moment ago, whole. Throws Failure.
template <class Write, class RowOf>
[[nodiscard]] std::vector<Write> MendedBy(const RepairPlan& plan, const RowOf& row_of) {
  std::vector<Write> writes;
  for (const RowWrite& row : plan.rows) {
    auto says = row_of(row.to.record, row.to.state.version);
    if (!says) throw Failure(ErrorCode::kInternal, "a record that says a row cannot be read");
    writes.push_back({row.key, *std::move(says)});
  }
  return writes;
}

}  // namespace fanfold
