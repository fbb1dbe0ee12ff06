#include <gtest/gtest.h>
#include <string>

#include "common/relation/edge.h"
#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

struct ApplyCase {
  std::string name;
  Edge before;
  OutcomeKind kind;
  std::int64_t offset;
  std::int64_t since_ms;
  Edge after;
  int delta;
  bool changed;
};

void PrintTo(const ApplyCase& apply, std::ostream* out) {
  *out << apply.before << ", then " << apply.kind << " at " << apply.offset;
}

Outcome OutcomeOf(OutcomeKind kind, std::int64_t offset, std::int64_t since_ms) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.position = Position{Partition(3), Offset(offset)};
  outcome.subject = UserId(1);
  outcome.object = UserId(2);
  outcome.at_ms = 900;
  outcome.since_ms = since_ms;
  if (kind == OutcomeKind::kRejected) outcome.rejected = RejectReason::kFollowLimit;
  if (kind == OutcomeKind::kParked) outcome.parked = ParkReason::kMalformed;
  return outcome;
}

class ApplyTest : public ::testing::TestWithParam<ApplyCase> {};

TEST_P(ApplyTest, MovesTheEdge) {
  const ApplyCase& c = GetParam();
  const EdgeChange change = Apply(c.before, OutcomeOf(c.kind, c.offset, c.since_ms));
  EXPECT_EQ(change.edge, c.after);
  EXPECT_EQ(change.delta, c.delta);
  EXPECT_EQ(change.changed, c.changed);
}

TEST_P(ApplyTest, ASecondTimeItChangesNothing) {
  const ApplyCase& c = GetParam();
  const EdgeChange again = Apply(c.after, OutcomeOf(c.kind, c.offset, c.since_ms));
  EXPECT_EQ(again.edge, c.after);
  EXPECT_EQ(again.delta, 0);
  EXPECT_FALSE(again.changed);
}

TEST_P(ApplyTest, DeltaIsWhatTheActiveRowsMovedBy) {
  const ApplyCase& c = GetParam();
  const EdgeChange change = Apply(c.before, OutcomeOf(c.kind, c.offset, c.since_ms));
  EXPECT_EQ(change.delta, static_cast<int>(change.edge.active) - static_cast<int>(c.before.active));
}

using enum OutcomeKind;

constexpr Edge Active(std::int64_t since_ms, std::int64_t version) {
  return {true, since_ms, Version(version)};
}
constexpr Edge Inactive(std::int64_t since_ms, std::int64_t version) {
  return {false, since_ms, Version(version)};
}

INSTANTIATE_TEST_SUITE_P(
    Transitions, ApplyTest,
    ::testing::Values(
        //        name                     before         outcome  offset since  after      delta
        ApplyCase{"FirstFollow", {}, kFollowed, 0, 50, Active(50, 1), +1, true},
        ApplyCase{"FollowLater", {}, kFollowed, 41, 50, Active(50, 42), +1, true},
        ApplyCase{"UnfollowKeepsRowAndSince", Active(50, 1), kUnfollowed, 1, 50, Inactive(50, 2),
                  -1, true},
        ApplyCase{"FollowAgainTakesNewSince", Inactive(50, 2), kFollowed, 2, 60, Active(60, 3), +1,
                  true},
        ApplyCase{"SinceMayGoBack", Inactive(50, 2), kFollowed, 2, 10, Active(10, 3), +1, true},
        ApplyCase{"NextOffsetIsNewer", Active(50, 41), kUnfollowed, 41, 50, Inactive(50, 42), -1,
                  true}),
    [](const auto& param_info) { return param_info.param.name; });

INSTANTIATE_TEST_SUITE_P(Replays, ApplyTest,
                         ::testing::Values(ApplyCase{"OldVersionIsIgnored", Inactive(50, 3),
                                                     kFollowed, 1, 40, Inactive(50, 3), 0, false},
                                           ApplyCase{"SameVersionIsIgnored", Inactive(50, 3),
                                                     kFollowed, 2, 40, Inactive(50, 3), 0, false},
                                           ApplyCase{"OldUnfollowIsIgnored", Active(50, 3),
                                                     kUnfollowed, 1, 40, Active(50, 3), 0, false},
                                           ApplyCase{"SameUnfollowIsIgnored", Active(50, 3),
                                                     kUnfollowed, 2, 50, Active(50, 3), 0, false}),
                         [](const auto& param_info) { return param_info.param.name; });

// Rows that somebody changed by hand: the row converges on the outcome, the count on the row.
INSTANTIATE_TEST_SUITE_P(
    Drift, ApplyTest,
    ::testing::Values(
        ApplyCase{"UnfollowOfInactive", Inactive(50, 1), kUnfollowed, 1, 45, Inactive(45, 2), 0,
                  true},
        ApplyCase{"UnfollowOfMissing", {}, kUnfollowed, 1, 50, Inactive(50, 2), 0, true},
        ApplyCase{"FollowOfActive", Active(50, 1), kFollowed, 1, 60, Active(60, 2), 0, true},
        ApplyCase{"UnfollowWithOtherSince", Active(50, 1), kUnfollowed, 1, 45, Inactive(45, 2), -1,
                  true}),
    [](const auto& param_info) { return param_info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    NoMove, ApplyTest,
    ::testing::Values(
        ApplyCase{"UnchangedLeavesVersion", Active(50, 1), kUnchanged, 9, 50, Active(50, 1), 0,
                  false},
        ApplyCase{"UnchangedMakesNoRow", {}, kUnchanged, 9, 0, {}, 0, false},
        ApplyCase{"RejectedLeavesAll", Inactive(50, 2), kRejected, 9, 0, Inactive(50, 2), 0, false},
        ApplyCase{"RejectedMakesNoRow", {}, kRejected, 9, 0, {}, 0, false},
        ApplyCase{"ParkedLeavesAll", Active(50, 1), kParked, 9, 0, Active(50, 1), 0, false}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold
