// Members driven by hand, on a clock that is set.
#include "common/sqlite/in_process_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/manual_clock.h"

namespace fanfold {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A member and what it was told that it holds.
struct Hand {
  std::set<std::int32_t> held;
  std::unique_ptr<InProcessMember> member;  // last: leaving says what is lost

  PartitionOwnership::Callbacks Callbacks() {
    return {[this](std::span<const Partition> gained) {
              for (const Partition partition : gained) held.insert(partition.value);
            },
            [this](std::span<const Partition> lost) {
              for (const Partition partition : lost) held.erase(partition.value);
            }};
  }
};

class InProcessGroupTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kTimeoutMs = 1'000;

  std::unique_ptr<Hand> Joined() {
    auto hand = std::make_unique<Hand>();
    hand->member = group_.NewMember();
    EXPECT_TRUE(hand->member->Join(hand->Callbacks()).has_value());
    return hand;
  }

  testing::ManualClock clock_;
  InProcessGroup group_{4, clock_, kTimeoutMs};
};

TEST_F(InProcessGroupTest, NothingHappensToAMemberThatIsNotServed) {
  const auto one = Joined();
  EXPECT_THAT(one->held, IsEmpty());
  one->member->Serve();
  EXPECT_THAT(one->held, ElementsAre(0, 1, 2, 3));
  const auto other = Joined();
  other->member->Serve();
  EXPECT_THAT(one->held, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(other->held, IsEmpty());
}

TEST_F(InProcessGroupTest, PartitionsMoveWhenBothHaveBeenServed) {
  const auto one = Joined();
  one->member->Serve();
  const auto other = Joined();
  one->member->Serve();
  EXPECT_THAT(one->held, ElementsAre(0, 1));
  other->member->Serve();
  EXPECT_THAT(other->held, ElementsAre(2, 3));
}

TEST_F(InProcessGroupTest, SilentMemberIsTakenForDeadAtTheTimeOut) {
  const auto silent = Joined();
  silent->member->Serve();
  const auto other = Joined();
  clock_.now_ms += kTimeoutMs - 1;
  other->member->Serve();
  EXPECT_THAT(other->held, IsEmpty());
  clock_.now_ms += 1;
  other->member->Serve();
  EXPECT_THAT(other->held, ElementsAre(0, 1, 2, 3));
  // It has been told nothing: what it writes is stopped by the fence.
  EXPECT_THAT(silent->held, ElementsAre(0, 1, 2, 3));
}

TEST_F(InProcessGroupTest, DeadMemberThatComesBackLearnsItAndJoinsAnew) {
  const auto silent = Joined();
  silent->member->Serve();
  const auto other = Joined();
  clock_.now_ms += kTimeoutMs;
  other->member->Serve();
  silent->member->Serve();
  EXPECT_THAT(silent->held, IsEmpty());
  other->member->Serve();
  silent->member->Serve();
  EXPECT_EQ(silent->held.size(), 2U);
  EXPECT_EQ(other->held.size(), 2U);
}

TEST_F(InProcessGroupTest, MemberThatWasSilentAloneKeepsNothingOfItsOldStay) {
  const auto one = Joined();
  one->member->Serve();
  clock_.now_ms += kTimeoutMs;
  const auto other = Joined();
  other->member->Serve();
  EXPECT_THAT(other->held, ElementsAre(0, 1, 2, 3));
}

TEST_F(InProcessGroupTest, LeavingGivesBackAndIsNotServedAnyMore) {
  const auto one = Joined();
  one->member->Serve();
  one->member->Leave();
  EXPECT_THAT(one->held, IsEmpty());
  one->member->Serve();
  EXPECT_THAT(one->held, IsEmpty());
}

TEST_F(InProcessGroupTest, MembersOutliveTheGroup) {
  auto group = std::make_unique<InProcessGroup>(2, clock_, kTimeoutMs);
  Hand hand;
  hand.member = group->NewMember();
  ASSERT_TRUE(hand.member->Join(hand.Callbacks()).has_value());
  group.reset();
  hand.member->Serve();
  EXPECT_THAT(hand.held, ElementsAre(0, 1));
}

}  // namespace
}  // namespace fanfold
