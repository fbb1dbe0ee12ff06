#include "common/post/post_row.h"

#include <gtest/gtest.h>
#include <ostream>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "tests/unit/post/printing.h"

namespace fanfold {
namespace {

PostEvent Post(std::int64_t at_ms, std::string content) {
  return {"e", PostEventType::kPost, UserId(1), PostId(2), at_ms, 3, std::move(content)};
}
PostEvent Delete(std::int64_t at_ms) {
  return {"e", PostEventType::kDeletePost, UserId(1), PostId(2), at_ms};
}
Position At(std::int64_t offset) { return {Partition(5), Offset(offset)}; }

PostRow Active(std::int64_t score, std::string content, std::int64_t version) {
  return {3, std::move(content), score, true, Version(version)};
}
PostRow Gone(std::int64_t score, std::int64_t version) {
  return {3, "", score, false, Version(version)};
}

struct DecideCase {
  std::string name;
  PostRow before;
  PostEvent event;
  std::int64_t offset;
  PostOutcomeKind kind;
  std::int64_t score;
  std::int64_t post_type;
  PostRow after;
};
void PrintTo(const DecideCase& decide, std::ostream* out) {
  *out << decide.before << ", then " << decide.event;
}

class DecidePostTest : public ::testing::TestWithParam<DecideCase> {};

TEST_P(DecidePostTest, SaysWhatBecomesOfTheEvent) {
  const DecideCase& c = GetParam();
  const PostOutcome outcome = Decide(c.before, c.event, At(c.offset));
  EXPECT_EQ(outcome.kind, c.kind);
  EXPECT_EQ(outcome.score, c.score);
  EXPECT_EQ(outcome.post_type, c.post_type);
  EXPECT_EQ(outcome.position, At(c.offset));
  EXPECT_EQ(outcome.event_id, "e");
  EXPECT_EQ(outcome.author, UserId(1));
  EXPECT_EQ(outcome.post_id, PostId(2));
  EXPECT_EQ(outcome.at_ms, c.event.at_ms);
  EXPECT_EQ(outcome.parked, std::nullopt);
  const bool posted = c.kind == PostOutcomeKind::kPosted;
  EXPECT_EQ(outcome.content, posted ? std::optional(c.event.content) : std::nullopt);
}

TEST_P(DecidePostTest, AppliedItLeavesTheRow) {
  const DecideCase& c = GetParam();
  const PostOutcome outcome = Decide(c.before, c.event, At(c.offset));
  const PostRow after = Apply(c.before, outcome);
  EXPECT_EQ(after, c.after);
  EXPECT_EQ(Apply(after, outcome), c.after) << "a second time";
}

INSTANTIATE_TEST_SUITE_P(
    Transitions, DecidePostTest,
    ::testing::Values(
        //         name                    before                event           offset
        DecideCase{
            "FirstPost", {}, Post(7, "a"), 0, PostOutcomeKind::kPosted, 7, 3, Active(7, "a", 1)},
        DecideCase{
            "AnEmptyPost", {}, Post(0, ""), 4, PostOutcomeKind::kPosted, 0, 3, Active(0, "", 5)},
        DecideCase{"TheFirstEventOfAnIdWins", Active(7, "a", 1), Post(9, "b"), 1,
                   PostOutcomeKind::kUnchanged, 7, 3, Active(7, "a", 1)},
        DecideCase{"AnIdIsUsedOnceAfterItsDeletionToo", Gone(7, 2), Post(9, "b"), 2,
                   PostOutcomeKind::kUnchanged, 7, 3, Gone(7, 2)},
        DecideCase{"DeletedLosesTheContentAndKeepsTheRow", Active(7, "a", 1), Delete(9), 1,
                   PostOutcomeKind::kPostDeleted, 7, 3, Gone(7, 2)},
        DecideCase{"DeletedAgain", Gone(7, 2), Delete(9), 2, PostOutcomeKind::kUnchanged, 7, 3,
                   Gone(7, 2)},
        DecideCase{
            "AnIdNeverPostedStaysFree", {}, Delete(9), 0, PostOutcomeKind::kUnchanged, 0, 0, {}}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(DecidePost, AnEndedAccountPostsNothingAndLosesWhatItPosted) {
  const PostOutcome rejected = Decide({}, Post(7, "a"), At(0), true);
  EXPECT_EQ(rejected.kind, PostOutcomeKind::kRejected);
  EXPECT_EQ(rejected.rejected, PostRejection::kUserDeleted);
  EXPECT_EQ(rejected.content, std::nullopt);
  EXPECT_EQ(Apply({}, rejected), PostRow()) << "the id stays free";
  EXPECT_EQ(Decide(Active(7, "a", 1), Delete(9), At(1), true).kind, PostOutcomeKind::kPostDeleted);
}

TEST(ApplyPost, AnOldOutcomeIsIgnored) {
  const PostOutcome posted = Decide({}, Post(7, "a"), At(0));
  const PostOutcome deleted = Decide(Active(7, "a", 1), Delete(9), At(3));
  EXPECT_EQ(Apply(Gone(7, 4), posted), Gone(7, 4));
  EXPECT_EQ(Apply(Gone(7, 4), deleted), Gone(7, 4));
  EXPECT_EQ(Apply(Active(7, "b", 9), deleted), Active(7, "b", 9));
}

TEST(ApplyPost, WhatMovesNothingLeavesTheRow) {
  EXPECT_EQ(Apply({}, ParkPost(At(3), ParkReason::kMalformed, "")), PostRow());
  EXPECT_EQ(Apply(Active(7, "a", 1), Decide(Active(7, "a", 1), Post(9, "b"), At(3))),
            Active(7, "a", 1));
}

// What one id may come to, as three lines say it.
struct Model {
  bool used = false;
  bool active = false;
  std::int64_t score = 0;
};

RC_GTEST_PROP(PostModel, AnyHistoryReplayedFromAnywhereEndsTheSame, ()) {
  const auto deletes = *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>());
  Model model;
  PostRow row;
  std::vector<PostOutcome> outcomes;
  for (std::size_t i = 0; i < deletes.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const PostEvent event = deletes[i] ? Delete(at) : Post(at, std::to_string(i));
    outcomes.push_back(Decide(row, event, At(at)));
    row = Apply(row, outcomes.back());
    if (!deletes[i] && !model.used) model = {true, true, at};
    if (deletes[i]) model.active = false;
    RC_ASSERT(row.active == model.active);
    RC_ASSERT((row.version != Version(0)) == model.used);
    RC_ASSERT(row.score == model.score);
    RC_ASSERT(row.content == (model.active ? std::to_string(model.score) : ""));
    PostRow again = row;
    for (auto from = *rc::gen::inRange<std::size_t>(0, i + 1); from <= i; ++from) {
      again = Apply(again, outcomes[from]);
    }
    RC_ASSERT(again == row);
  }
}

}  // namespace
}  // namespace fanfold
