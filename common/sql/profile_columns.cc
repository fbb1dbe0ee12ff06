#include "common/sql/profile_columns.h"

#include "common/sql/failure.h"

namespace fanfold {

std::vector<ProfileWrite> MendedBy(const RepairPlan& plan) {
  std::vector<ProfileWrite> writes;
  for (const RowWrite& row : plan.rows) {
    const auto event = DecodeProfileEvent(row.to.record);
    // It was read a moment ago.
    if (!event) throw Failure(ErrorCode::kInternal, "a record that says a row cannot be read");
    writes.push_back({row.key.user, Apply({}, *event, row.to.state.version)});
  }
  return writes;
}

}  // namespace fanfold
