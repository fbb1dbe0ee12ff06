#include "operations/lanes/wait.h"

#include <gtest/gtest.h>

#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

class Waiting : public ::testing::Test {
 protected:
  Waiting() {
    for (const Projection projection : Projection::All()) {
      fake_.backend.log.Of(projection.stream().events())[0].resize(10);
      lanes().push_back(testing::RunningLane(projection, 0, 4));
    }
  }
  std::vector<LaneStatus>& lanes() { return fake_.backend.shard_states[0].lanes; }
  WaitResult Wait() { return operations::Wait(fake_.context, {.timeout_ms = 500}).value(); }

  testing::FakeContext fake_{1};
};

TEST_F(Waiting, LanesThatLagAreReturnedAndTheirLackIsShown) {
  const WaitResult result = Wait();
  EXPECT_EQ(result.end, WaitEnd::kLate);
  EXPECT_EQ(result.lagging.size(), lanes().size());
  ASSERT_FALSE(fake_.progress.shown.empty());
  EXPECT_EQ(fake_.progress.shown.back().total, 6 * std::ssize(lanes()));
  EXPECT_GT(fake_.progress.cleared, 0);
}

TEST_F(Waiting, OneThatStandsIsNotedOnceAndEndsIt) {
  lanes()[0].state = LaneState::kHalted;
  lanes()[0].state_reason = "torn";
  EXPECT_EQ(Wait().end, WaitEnd::kHalted);
  EXPECT_EQ(fake_.progress.notes,
            std::vector<std::string>{"following/0 on shard 0: 4 of 10, halted (torn)"});
}

TEST_F(Waiting, NothingLacksOnceAllHaveCome) {
  for (LaneStatus& lane : lanes()) lane.progress.event_offset = Offset(10);
  EXPECT_EQ(Wait().end, WaitEnd::kCaughtUp);
  EXPECT_TRUE(fake_.progress.notes.empty());
}

// It was made again: nothing of it is still to come.
TEST_F(Waiting, ALogThatEndsBelowALaneIsRefused) {
  for (LaneStatus& lane : lanes()) lane.progress.event_offset = Offset(10);
  fake_.backend.log.Of(topics::kRelationEvents)[0].resize(9);
  const auto result = operations::Wait(fake_.context, {.timeout_ms = 500});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kRefused);
  EXPECT_TRUE(result.error().message.contains("ends at 9")) << result.error().message;
}

TEST_F(Waiting, ALogThatDoesNotAnswerAtOnceIsAskedAgain) {
  for (LaneStatus& lane : lanes()) lane.progress.event_offset = Offset(10);
  fake_.backend.log.bounds_late = 2;
  EXPECT_EQ(Wait().end, WaitEnd::kCaughtUp);
}

TEST_F(Waiting, ALogThatNeverAnswersIsWhyItIsLate) {
  fake_.backend.log.bounds_late = 1'000;
  const WaitResult result = Wait();
  EXPECT_EQ(result.end, WaitEnd::kLate);
  EXPECT_EQ(result.unreachable, "timed out");
}

TEST_F(Waiting, OneThatIsInterruptedIsNotLate) {
  fake_.interrupt.interrupt_at = 2;
  EXPECT_EQ(Wait().end, WaitEnd::kInterrupted);
}

}  // namespace
}  // namespace fanfold::operations
