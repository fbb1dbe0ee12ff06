#include "common/mysql/lane_writings.h"

#include <gtest/gtest.h>

namespace fanfold::mysql {
namespace {

using Connections = std::set<std::uint64_t>;

constexpr std::uint64_t kSession = 7;
const Writing kEarlier{"following 1 0 1000", kSession};
const Writing kLatest{"following 1 0 1002", kSession};

TEST(HoldersOf, OneThatIsSeenAndNeverCommittedHolds) {
  EXPECT_EQ(HoldersOf({{kLatest}, {kEarlier}, {kLatest}, {kEarlier}}), Connections{kSession});
}

TEST(HoldersOf, OneThatIsCommittedHoldsNothing) {
  EXPECT_EQ(HoldersOf({{kLatest}, {kLatest}, {kLatest}, {kLatest}}), Connections());
  EXPECT_EQ(HoldersOf({{kEarlier}, {kEarlier}, {kLatest}, {kEarlier}}), Connections());
  EXPECT_EQ(HoldersOf({{kLatest}, {kEarlier}, {kEarlier}, {kEarlier}}), Connections());
}

// It went on by itself while it was looked at: its session holds nothing that is wanted.
TEST(HoldersOf, OneThatCommitsBetweenTheLooksHoldsNothing) {
  EXPECT_EQ(HoldersOf({{kLatest}, {kEarlier}, {kLatest}, {kLatest}}), Connections());
}

// A batch that was rolled back and repeated in the same millisecond, then committed.
TEST(HoldersOf, TwoWritingsOfOneMillisecondEndNobody) {
  EXPECT_EQ(HoldersOf({{kLatest}, {kEarlier}, {kLatest}, {kLatest}}), Connections());
  EXPECT_EQ(HoldersOf({{kLatest}, {kLatest}, {kLatest}, {kLatest}}), Connections())
      << "the second one is open and looks like the first: taking it is tried again";
}

}  // namespace
}  // namespace fanfold::mysql
