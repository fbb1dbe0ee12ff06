// Compares the present rows with the right ones, and plans a repair. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ports/table_operations.h"

namespace fanfold {

// Bounds on the words in a record of a repair.
inline constexpr std::size_t kRepairReasonBytesMax = 64;
inline constexpr std::size_t kRepairDetailBytesMax = 512;

// A user's count as its row says it, and how many active rows the user has.
struct CountNow {
  UserId user;
  std::optional<EdgeCount> row;
  EdgeCount active;
};

// A row of the table repairs; `other` 0: the user's count.
struct RepairRecord {
  UserId user;
  UserId other;
  std::string detail;
};

struct RowWrite {
  RowKey key;
  RowToBe to;
};

struct RepairPlan {
  std::vector<RowWrite> rows;             // to be written
  std::vector<RowKey> deletions;          // rows that must not be
  std::map<UserId, std::int64_t> deltas;  // of active rows, by that
  std::vector<RepairRecord> records;
};

// Requires: `now` and `to_be` are of scope.rows, in their order.
[[nodiscard]] RepairPlan PlanRows(const RepairScope& scope, std::span<const RowState> now,
                                  std::span<const RowToBe> to_be);

// The scope's users, where the projection counts, once the plan's rows are written, whose counts
// stand at `rows` now: since the base each move of a count was one of a row. Requires: `rows` are
// in the scope's order.
[[nodiscard]] std::vector<CountNow> CountsBy(const RepairScope& scope, const RepairBase& base,
                                             const RepairPlan& plan,
                                             std::span<const std::optional<EdgeCount>> rows);

// The counts that still differ once the rows are written.
[[nodiscard]] std::vector<CountNow> WrongCounts(std::span<const CountNow> counts);
[[nodiscard]] RepairRecord RecordOf(const CountNow& wrong);

[[nodiscard]] RepairDone DoneBy(std::uint64_t mark, const RepairPlan& plan,
                                std::span<const CountNow> wrong_counts);

}  // namespace fanfold
