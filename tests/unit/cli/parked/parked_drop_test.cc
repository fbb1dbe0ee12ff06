#include "cli/parked/parked_drop.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;

class ParkedDropTest : public ::testing::Test {
 protected:
  Position Park(std::size_t shard, std::int64_t offset,
                Projection projection = projections::kFollowing,
                ParkReason reason = ParkReason::kMalformed) {
    ParkedRow row;
    row.lane = {projection, Generation(1), Partition(1)};
    row.offset = Offset(offset);
    row.reason = reason;
    fake_.backend.shard_states[shard].parked.push_back(row);
    return {row.lane.partition, row.offset};
  }
  ExitCode Drop(std::vector<Position> positions = {},
                std::optional<Projection> projection = std::nullopt,
                std::optional<ParkReason> reason = std::nullopt) {
    return RunParkedDrop(fake_.session, {std::move(positions), reason, projection});
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
  EXPECT_EQ(Drop({first, second}), ExitCode::kFine);
  EXPECT_EQ(Left(0), 0U);
  EXPECT_EQ(Left(1), 1U);
  EXPECT_NE(fake_.out.text().find("dropped (malformed); its record stays in relation-events"),
            std::string::npos)
      << fake_.out.text();
}

TEST_F(ParkedDropTest, OneThatIsNotThereIsToldAndStopsNothing) {
  const Position there = Park(0, 5);
  EXPECT_EQ(Drop({{Partition(1), Offset(9)}, there}), ExitCode::kError);
  EXPECT_NE(fake_.err.text().find("nothing is parked at 1:9"), std::string::npos);
  EXPECT_EQ(Left(0), 0U);
}

TEST_F(ParkedDropTest, AnEventAndAnOutcomeAtOnePositionMustBeToldApart) {
  const Position both = Park(0, 5);
  Park(0, 5, projections::kFans);
  EXPECT_EQ(Drop({both}), ExitCode::kError);
  EXPECT_NE(fake_.err.text().find("records of following, fans are parked at 1:5"),
            std::string::npos)
      << fake_.err.text();
  EXPECT_EQ(Left(0), 2U);
  EXPECT_EQ(Drop({both}, projections::kFans), ExitCode::kFine);
  ASSERT_EQ(Left(0), 1U);
  EXPECT_EQ(fake_.backend.shard_states[0].parked[0].lane.projection, projections::kFollowing);
}

TEST_F(ParkedDropTest, AnOutcomeIsForgottenOnEveryShardThatParkedIt) {
  const Position position = Park(0, 5, projections::kFans);
  Park(1, 5, projections::kFans);
  EXPECT_EQ(Drop({position}), ExitCode::kFine);
  EXPECT_EQ(Left(0) + Left(1), 0U);
}

TEST_F(ParkedDropTest, WithoutPositionsAllAreForgotten) {
  Park(0, 5);
  Park(0, 5);  // by another generation
  Park(0, 7);
  Park(1, 6, projections::kFans);
  EXPECT_EQ(Drop(), ExitCode::kFine) << fake_.err.text();
  EXPECT_EQ(Left(0) + Left(1), 0U);
  EXPECT_EQ(fake_.backend.operations_opened, 2) << "one of each shard";
  EXPECT_EQ(Drop(), ExitCode::kFine);
  EXPECT_NE(fake_.out.text().find("nothing is parked"), std::string::npos);
}

TEST_F(ParkedDropTest, OfAReasonOrAProjectionTheseAlone) {
  Park(0, 5);
  Park(0, 6, projections::kFollowing, ParkReason::kTooLarge);
  Park(1, 7, projections::kFans, ParkReason::kUnreadableOutcome);
  EXPECT_EQ(Drop({}, std::nullopt, ParkReason::kTooLarge), ExitCode::kFine);
  EXPECT_EQ(Left(0), 1U);
  EXPECT_EQ(Drop({}, projections::kFans), ExitCode::kFine);
  EXPECT_EQ(Left(0), 1U);
  EXPECT_EQ(Left(1), 0U);
}

}  // namespace
}  // namespace fanfold
