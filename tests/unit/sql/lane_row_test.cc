#include "common/sql/lane_row.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/sql/failure.h"

namespace fanfold {
namespace {

constexpr LaneId kLane{projections::kFollowing, Generation(1), Partition(3)};

LaneRow RowAt(std::int64_t offset) {
  LaneRow row;
  row.lane = kLane;
  row.fence = {7, 99};
  row.deciding = kDeciding;
  row.owner = "other";
  row.progress.next_offset = Offset(offset);
  return row;
}

LaneMove MoveFrom(std::int64_t offset) { return {kLane, {7, 99}, kDeciding, Offset(offset), {}}; }

struct FencedCase {
  const char* name;
  void (*change)(LaneRow&);
  const char* why;
};
void PrintTo(const FencedCase& test, std::ostream* out) { *out << test.name; }

class WhyFencedTest : public ::testing::TestWithParam<FencedCase> {};

TEST_P(WhyFencedTest, SaysIt) {
  LaneRow row = RowAt(5);
  GetParam().change(row);
  EXPECT_EQ(WhyFenced(std::vector{MoveFrom(5)}, std::vector{row}), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WhyFencedTest,
    ::testing::Values(FencedCase{"Nothing", [](LaneRow&) {}, "a lane moved meanwhile"},
                      FencedCase{"OtherLane",
                                 [](LaneRow& row) { row.lane.partition = Partition(4); },
                                 "lane following/g1/3 has no progress row"},
                      FencedCase{"Epoch", [](LaneRow& row) { row.fence.epoch = 8; },
                                 "lane following/g1/3 is owned by 'other' at epoch 8, not 7"},
                      FencedCase{"Nonce", [](LaneRow& row) { row.fence.nonce = 1; },
                                 "lane following/g1/3 is owned by 'other' at epoch 7, not 7"},
                      FencedCase{"State",
                                 [](LaneRow& row) {
                                   row.state = LaneState::kPaused;
                                   row.state_reason = "lunch";
                                 },
                                 "lane following/g1/3 is paused: lunch"},
                      FencedCase{"Role", [](LaneRow& row) { row.deciding = kApplying; },
                                 "lane following/g1/3 applies now"},
                      FencedCase{"Offset",
                                 [](LaneRow& row) { row.progress.next_offset = Offset(6); },
                                 "lane following/g1/3 is at offset 6, not 5"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(LaneRow, FenceIsHeldWhileEpochAndNonceStandElseTheNameTellsWhoBumpedIt) {
  const std::vector<LaneFence> held = {
      {kLane, {7, 99}}, {kLane, {7, 98}}, {kLane, {6, 99}}, {{}, {7, 99}}};
  using enum FenceState;
  EXPECT_EQ(FenceStatesIn(std::vector{RowAt(5)}, held, "other"),
            (std::vector{kHeld, kBumped, kBumped, kTakenOver}));
  EXPECT_EQ(FenceStatesIn(std::vector{RowAt(5)}, held, "me"),
            (std::vector{kHeld, kTakenOver, kTakenOver, kTakenOver}));
}

TEST(LaneRow, FenceIsNotHeldOfARowThatStandsElsewhere) {
  const std::vector<LaneFence> held = {{kLane, {7, 99}, Offset(5)}, {kLane, {7, 99}, Offset(6)}};
  EXPECT_EQ(FenceStatesIn(std::vector{RowAt(5)}, held, "other"),
            (std::vector{FenceState::kHeld, FenceState::kBumped}));
}

TEST(LaneRow, NamesOfALaterBuildAreRefused) {
  EXPECT_EQ(StateNamed("halted"), LaneState::kHalted);
  EXPECT_EQ(DecidingNamed("applies"), kApplying);
  EXPECT_EQ(ProjectionNamed("fans"), projections::kFans);
  for (const auto& read : {+[] { (void)StateNamed("asleep"); }, +[] { (void)DecidingNamed(""); },
                           +[] { (void)ProjectionNamed("likes"); }}) {
    const auto result = ResultOf(read);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kRefused);
  }
}

}  // namespace
}  // namespace fanfold
