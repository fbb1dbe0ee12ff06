#include "common/sql/profile_columns.h"

#include <fmt/format.h>

#include "common/sql/failure.h"

namespace fanfold {
namespace {

// The last member of the ends of a deletion that stays.
constexpr std::string_view kStays = R"(,"stays":true})";

}  // namespace

std::string EndsToKeep(const Erasure& erasure) {
  std::string text = EncodeStreamEnds(erasure.ends);
  if (erasure.stays) text.replace(text.size() - 1, 1, kStays);
  return text;
}

bool KeptStays(std::string_view ends) { return ends.ends_with(kStays); }

std::string ReachedText(std::string_view drawn, std::string_view user, std::string_view version) {
  return fmt::format(
      "UPDATE erasures SET behind = CASE stage WHEN {0} THEN behind + 1 ELSE {1} END, stage = {0}, "
      "is_open = 1, appended = NULL WHERE user_id = {2} AND version = {3}",
      static_cast<int>(EraseStage::kUnmeasured), drawn, user, version);
}

std::string EndedText(std::string_view among) {
  return fmt::format("SELECT {} FROM erasures WHERE user_id IN ({}) ORDER BY user_id, version",
                     kErasureColumns, among);
}

AccountPhase KeptAccount(std::int32_t number) {
  const auto account = static_cast<AccountPhase>(number);
  switch (account) {
    case AccountPhase::kTold:
    case AccountPhase::kDeleted:
    case AccountPhase::kEnded:
    case AccountPhase::kRestored:
      return account;
  }
  throw Failure(ErrorCode::kInternal, "a row of profiles says of its account what is nothing");
}

StreamEnds KeptEnds(const std::string& text) {
  std::optional<StreamEnds> ends = DecodeStreamEnds(text);
  if (!ends) throw Failure(ErrorCode::kInternal, "a row of erasures has ends that are none");
  return *std::move(ends);
}

EraseStage KeptStage(std::int32_t number) {
  const auto stage = static_cast<EraseStage>(number);
  switch (stage) {
    case EraseStage::kUnmeasured:
    case EraseStage::kFollowing:
    case EraseStage::kFans:
    case EraseStage::kPosts:
    case EraseStage::kShown:
    case EraseStage::kAppended:
    case EraseStage::kDone:
    case EraseStage::kRestored:
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
    writes.push_back({row.key.user, RowSaidBy(*event, row.to.state.version)});
  }
  return writes;
}

}  // namespace fanfold
