#include "common/sql/post_columns.h"

#include "common/sql/failure.h"

namespace fanfold {

std::vector<PostWrite> PostsMendedBy(const RepairPlan& plan) {
  std::vector<PostWrite> writes;
  for (const RowWrite& row : plan.rows) {
    const auto outcome = DecodePostOutcome(row.to.record);
    // It was read a moment ago, whole.
    if (!outcome) throw Failure(ErrorCode::kInternal, "a record that says a row cannot be read");
    writes.push_back({row.key, Apply({}, *outcome)});
  }
  return writes;
}

}  // namespace fanfold
