#include "common/sql/profile_columns.h"

#include "common/sql/failure.h"

namespace fanfold {

StreamEnds KeptEnds(const std::string& text) {
  std::optional<StreamEnds> ends = DecodeStreamEnds(text);
  if (!ends) throw Failure(ErrorCode::kInternal, "a row of erasures has ends that are none");
  return *std::move(ends);
}

EraseStage KeptStage(std::int32_t number) {
  const auto stage = static_cast<EraseStage>(number);
  switch (stage) {
    case EraseStage::kFollowing:
    case EraseStage::kFans:
    case EraseStage::kPosts:
    case EraseStage::kShown:
    case EraseStage::kAppended:
    case EraseStage::kDone:
      return stage;
  }
  throw Failure(ErrorCode::kInternal, "a row of erasures has a stage that is none");
}

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
