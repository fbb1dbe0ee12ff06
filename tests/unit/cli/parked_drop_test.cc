#include "cli/parked_drop.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;

class ParkedDropTest : public ::testing::Test {
 protected:
  Position Park(std::size_t shard, std::int64_t offset,
                ProjectionKind projection = ProjectionKind::kFollowing) {
    ParkedRow row;
    row.lane = {projection, Generation(1), Partition(1)};
    row.offset = Offset(offset);
    row.reason = ParkReason::kMalformed;
    fake_.backend.shard_states[shard].parked.push_back(row);
    return {row.lane.partition, row.offset};
  }
  [[nodiscard]] std::size_t Left(std::size_t shard) const {
    return fake_.backend.shard_states[shard].parked.size();
  }

  FakeSession fake_{2, 2};
};

TEST_F(ParkedDropTest, ForgetsThoseThatAreNamedOnWhateverShard) {
  const Position first = Park(0, 5);
  const Position second = Park(1, 6);
  Park(1, 7);
  EXPECT_EQ(RunParkedDrop(fake_.session, {{first, second}, {}}), ExitCode::kFine);
  EXPECT_EQ(Left(0), 0U);
  EXPECT_EQ(Left(1), 1U);
  EXPECT_NE(fake_.out.text().find("dropped (malformed); its record stays in relation-events"),
            std::string::npos)
      << fake_.out.text();
}

TEST_F(ParkedDropTest, OneThatIsNotThereIsToldAndStopsNothing) {
  const Position there = Park(0, 5);
  EXPECT_EQ(RunParkedDrop(fake_.session, {{{Partition(1), Offset(9)}, there}, {}}),
            ExitCode::kError);
  EXPECT_NE(fake_.err.text().find("nothing is parked at 1:9"), std::string::npos);
  EXPECT_EQ(Left(0), 0U);
}

TEST_F(ParkedDropTest, AnEventAndAnOutcomeAtOnePositionMustBeToldApart) {
  const Position both = Park(0, 5);
  Park(0, 5, ProjectionKind::kFans);
  EXPECT_EQ(RunParkedDrop(fake_.session, {{both}, {}}), ExitCode::kError);
  EXPECT_EQ(Left(0), 2U);
  EXPECT_EQ(RunParkedDrop(fake_.session, {{both}, ProjectionKind::kFans}), ExitCode::kFine);
  ASSERT_EQ(Left(0), 1U);
  EXPECT_EQ(fake_.backend.shard_states[0].parked[0].lane.projection, ProjectionKind::kFollowing);
}

}  // namespace
}  // namespace fanfold
