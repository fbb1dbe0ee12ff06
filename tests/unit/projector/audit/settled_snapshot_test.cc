#include "projector/audit/settled_snapshot.h"

#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/memory_log.h"

namespace fanfold {

using namespace projector;
namespace {

constexpr auto kFollowing = projections::kFollowing;
constexpr auto kFans = projections::kFans;

class Snapshot final : public TableSnapshot {
 public:
  explicit Snapshot(std::vector<LaneStatus> lanes) : lanes_(std::move(lanes)) {}
  Result<std::vector<LaneStatus>> Lanes() override { return lanes_; }
  Result<std::vector<OutboxRow>> Outbox(Projection, Generation) override {
    return std::vector<OutboxRow>();
  }
  Result<std::vector<RowImage>> Rows(Projection, Generation, const std::optional<RowKey>&, UserId,
                                     std::size_t) override {
    return std::vector<RowImage>();
  }
  Result<std::vector<UserCount>> Counts(Projection, Generation, const std::optional<UserId>&,
                                        UserId, std::size_t) override {
    return std::vector<UserCount>();
  }
  Result<RowTally> Tally(Projection, Generation, UserId, UserId, std::size_t) override {
    return RowTally();
  }
  Result<std::uint64_t> LastRepair() override { return 0; }

 private:
  std::vector<LaneStatus> lanes_;
};

class Pace final : public ScanPace {
 public:
  bool Read(std::int64_t) override { return !stopped; }
  bool stopped = false;
};

LaneStatus Lane(Projection projection, std::int64_t at, std::int64_t folded,
                LaneState state = LaneState::kRunning, std::int32_t generation = 1) {
  LaneStatus lane;
  lane.lane = {projection, Generation(generation), Partition(3)};
  lane.state = state;
  lane.progress.event_offset = Offset(at);
  lane.folded_offset = Offset(folded);
  return lane;
}

class SettledSnapshot : public ::testing::Test {
 protected:
  // The shard's lanes at each look, the last one for ever.
  Result<std::unique_ptr<TableSnapshot>> Open(std::deque<std::vector<LaneStatus>> looks,
                                              std::vector<Projection> projections = {kFollowing,
                                                                                     kFans}) {
    const AuditPorts ports{log_, proof_,
                           [this, &looks](Shard) -> Result<std::unique_ptr<TableSnapshot>> {
                             ++opened_;
                             auto snapshot = std::make_unique<Snapshot>(looks.front());
                             if (looks.size() > 1) looks.pop_front();
                             return snapshot;
                           },
                           Placement::Modulo({4, 1}), pace_};
    return OpenSettled(ports, Shard(0), projections, {});
  }

  testing::MemoryLog log_{4};
  LogProof proof_{log_};
  Pace pace_;
  int opened_ = 0;
};

TEST_F(SettledSnapshot, IsTakenAtOnceWhereNoLaneIsRewound) {
  EXPECT_TRUE(Open({{Lane(kFollowing, 5, 5), Lane(kFans, 3, 3)}}));
  EXPECT_EQ(opened_, 1);
}

TEST_F(SettledSnapshot, WaitsUntilARewoundLaneIsBack) {
  EXPECT_TRUE(Open({{Lane(kFans, 2, 5)}, {Lane(kFans, 4, 5)}, {Lane(kFans, 5, 5)}}));
  EXPECT_EQ(opened_, 3);
}

TEST_F(SettledSnapshot, OtherTablesLanesMayFoldAgain) {
  EXPECT_TRUE(Open({{Lane(kFans, 2, 5)}}, {kFollowing}));
  EXPECT_TRUE(Open({{Lane(kFans, 2, 5, LaneState::kRunning, 2)}}));
  EXPECT_EQ(opened_, 2);
}

TEST_F(SettledSnapshot, ARewoundLaneThatStandsStillIsNamed) {
  for (const LaneState state : {LaneState::kPaused, LaneState::kHalted}) {
    const auto snapshot = Open({{Lane(kFans, 2, 5, state)}});
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().code, ErrorCode::kRefused);
    EXPECT_NE(snapshot.error().message.find("fans/3"), std::string::npos)
        << snapshot.error().message;
  }
}

TEST(WaitForRewound, IsShorterWhereNobodyFoldsTheLane) {
  LaneStatus lane = Lane(kFans, 2, 5);
  EXPECT_EQ(WaitForRewoundMs(lane), kUnownedWaitMs);
  EXPECT_NE(RewoundLane(lane).find("without a projector"), std::string::npos) << RewoundLane(lane);
  lane.owner = "host/1";
  EXPECT_EQ(WaitForRewoundMs(lane), kRewoundWaitMs);
  EXPECT_NE(RewoundLane(lane).find("running"), std::string::npos) << RewoundLane(lane);
  lane.state = LaneState::kPaused;
  EXPECT_EQ(WaitForRewoundMs(lane), 0);
}

TEST_F(SettledSnapshot, StopsWaitingWhenToldTo) {
  pace_.stopped = true;
  const auto snapshot = Open({{Lane(kFans, 2, 5)}});
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace fanfold
