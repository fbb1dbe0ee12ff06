// What the outbox of a deciding lane holds and the topic does not was decided: it is in the rows
// before the lane decides again, as after a rewind.
#include <gtest/gtest.h>
#include <initializer_list>

#include "common/sql/lane_orders.h"
#include "projector/relations/relation_batch.h"
#include "projector/runtime/batch.h"
#include "projector/runtime/outbox_codec.h"
#include "projector/runtime/recovery.h"
#include "tests/support/memory_profiles.h"
#include "tests/unit/projector/runtime/deployment.h"

namespace fanfold::testing {

using namespace projector;
namespace {

using projections::kFollowing;

class OutboxAhead : public ::testing::Test {
 protected:
  [[nodiscard]] MemoryTables& Tables() { return deployment_.tables.front(); }
  [[nodiscard]] MemoryLane& Lane() {
    return Tables()
        .lanes[{kFollowing, Generation(1), deployment_.placement.PartitionOf(UserId(1))}];
  }
  [[nodiscard]] std::vector<Outcome> Outcomes() {
    return deployment_.Outcomes(deployment_.placement.PartitionOf(UserId(1)));
  }

  // Follows events 0 … 9 of user 1; outcomes 0 … 6 reach the topic, then the projector dies.
  void DecideTenPublishSeven() {
    Hand hand = deployment_.Make(projection_);
    for (std::uint64_t object = 10; object < 16; ++object) deployment_.Follow(1, object);
    deployment_.Settle(hand);
    deployment_.log.HoldAppends(true);
    for (std::uint64_t object = 16; object < 20; ++object) deployment_.Follow(1, object);
    hand.worker->Step(0);
    deployment_.log.Deliver(1);
    deployment_.log.FailHeld();
    hand.worker.reset();
    deployment_.log.HoldAppends(false);
    ASSERT_EQ(Lane().progress.event_offset, Offset(10));
    ASSERT_EQ(Lane().outbox.begin()->second.first, Offset(6));
    ExpectDense(Outcomes(), 7);
  }

  void RewindTo(std::int64_t event) {
    LaneRow row;
    row.progress = Lane().progress;
    Lane().progress = Rewound(row, Offset(event)).progress;
    Lane().fence.nonce += 1;
  }

  Deployment deployment_;
  RelationFold projection_{projections::kFollowing, FollowLimit(1000)};
};

TEST_F(OutboxAhead, OfARewoundLaneIsPublishedAndNotDecidedAgain) {
  DecideTenPublishSeven();
  RewindTo(3);
  Hand hand = deployment_.Make(projection_);
  deployment_.Settle(hand);
  ExpectDense(Outcomes(), 10);
  EXPECT_EQ(Lane().progress.event_offset, Offset(10));
  EXPECT_EQ(Lane().progress.next_offset, Offset(10));
  EXPECT_EQ(Lane().progress.published_offset, Offset(10));
  EXPECT_TRUE(Lane().outbox.empty());
  deployment_.Follow(1, 30);
  deployment_.Follow(1, 31);
  deployment_.Settle(hand);
  ExpectDense(Outcomes(), 12);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 12);
}

// The rows went back, the outbox did not.
TEST_F(OutboxAhead, IsAppliedAsItWasDecidedWhateverTheLimitIsNow) {
  DecideTenPublishSeven();
  RewindTo(0);
  Tables().edges.clear();
  Tables().counts.clear();
  const RelationFold lower(projections::kFollowing, FollowLimit(1));
  Hand hand = deployment_.Make(lower);
  deployment_.Settle(hand);
  ExpectDense(Outcomes(), 10);
  EXPECT_EQ(Tables().Count(kFollowing, UserId(1)), 10);
  EXPECT_EQ(Tables().EdgeAt(kFollowing, UserId(1), UserId(19)), (Edge{true, 100, Version(10)}));
  deployment_.ExpectCountsEqualRows();
}

TEST_F(OutboxAhead, HaltsTheLaneWhenItCannotBeRead) {
  DecideTenPublishSeven();
  const std::vector<MemoryTables> tables = deployment_.tables;
  for (const char* bytes : {"", "1:1,2:{},", "1:1,9:"}) {
    deployment_.tables = tables;
    RewindTo(3);
    Lane().outbox.begin()->second.outcomes = bytes;
    const int commits = Tables().commits;
    Hand hand = deployment_.Make(projection_);
    deployment_.Settle(hand);
    EXPECT_EQ(Lane().reason, "outcomes_truncated") << bytes;
    ExpectDense(Outcomes(), 7);
    EXPECT_LE(Tables().commits, commits + 1) << "what the topic holds is in the rows";
  }
}

// To decide again what was lost, on top of its own rows, would tell otherwise than callers were
// told.
TEST_F(OutboxAhead, RewindDoesNotHideThatOutcomesWereLost) {
  DecideTenPublishSeven();
  Lane().outbox.clear();
  RewindTo(3);
  Hand hand = deployment_.Make(projection_);
  deployment_.Settle(hand);
  EXPECT_EQ(Lane().reason, "outcomes_truncated");
  ExpectDense(Outcomes(), 7);
}

// As migration 0006 leaves a lane that had noted more as published than was decided.
TEST_F(OutboxAhead, LaneThatLostItsPlaceLooksFromTheTopicsBeginning) {
  DecideTenPublishSeven();
  Lane().progress.outcome_offset = Offset(0);
  Lane().progress.published_offset = Offset(0);
  const std::vector<MemoryTables> found = deployment_.tables;
  Lane().outbox.clear();
  Hand lost = deployment_.Make(projection_);
  deployment_.Settle(lost);
  EXPECT_EQ(Lane().reason, "outcomes_truncated");
  deployment_.tables = found;
  Hand hand = deployment_.Make(projection_);
  deployment_.Settle(hand);
  EXPECT_EQ(Lane().state, LaneState::kRunning);
  EXPECT_EQ(Lane().progress.published_offset, Offset(10));
  ExpectDense(Outcomes(), 10);
}

// Builds that decided twice left rows that overlap.
TEST_F(OutboxAhead, RowsThatOverlapArePublishedOnce) {
  DecideTenPublishSeven();
  OutboxRow again = Lane().outbox.begin()->second;
  std::string_view rest = again.outcomes;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(TakeOutboxRecord(rest));
  again.outcomes = std::string(rest);
  again.first = Offset(8);
  Lane().outbox[again.first] = again;
  Hand hand = deployment_.Make(projection_);
  deployment_.Settle(hand);
  ExpectDense(Outcomes(), 10);
  EXPECT_EQ(Lane().progress.published_offset, Offset(10));
}

struct Range {
  std::int64_t first;
  std::int64_t next;
};

TakenLane LaneWith(std::int64_t published, std::int64_t event,
                   std::initializer_list<Range> outbox) {
  TakenLane taken;
  taken.deciding = kDeciding;
  taken.progress.published_offset = Offset(published);
  taken.progress.event_offset = Offset(event);
  taken.progress.next_offset = Offset(event);
  for (const Range& range : outbox) {
    taken.outbox.push_back(
        {Partition(0), Generation(1), Offset(range.first), Offset(range.next), ""});
  }
  return taken;
}

TEST(CheckOutbox, HaltsAtAHoleHoweverSmall) {
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(6, 6, {}))), std::nullopt);
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(6, 10, {{4, 8}, {8, 10}}))), std::nullopt);
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(6, 10, {{6, 8}, {7, 10}}))), std::nullopt);
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(3, 3, {{3, 8}, {8, 10}}))), std::nullopt);
  const std::optional truncated = halt_reasons::kOutcomesTruncated;
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(6, 10, {{7, 10}}))), truncated);
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(6, 10, {{6, 8}, {9, 10}}))), truncated);
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(6, 10, {{6, 9}}))), truncated);
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(6, 7, {}))), truncated);
  EXPECT_EQ(CheckOutbox(Lane(LaneWith(3, 3, {{4, 10}}))), truncated) << "above the position, too";
  TakenLane rewound = LaneWith(3, 3, {{3, 8}});
  rewound.folded_offset = Offset(8);
  EXPECT_EQ(CheckOutbox(Lane(rewound)), std::nullopt);
  rewound.folded_offset = Offset(9);
  EXPECT_EQ(CheckOutbox(Lane(rewound)), truncated);
}

OutboxRow RowOf(Partition partition, std::int64_t first, std::int64_t next) {
  OutboxRow row{partition, Generation(1), Offset(first), Offset(next), ""};
  for (std::int64_t event = first; event < next; ++event) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kFollowed;
    outcome.position = {partition, Offset(event)};
    outcome.subject = UserId(1);
    outcome.object = UserId(static_cast<std::uint64_t>(100 + event));
    AppendOutboxRecord(row.outcomes, {"1", EncodeOutcome(outcome)});
  }
  return row;
}

// Counts what is applied.
class CountingBatch final : public RelationBatch {
 public:
  using RelationBatch::RelationBatch;
  void Keep(std::span<const std::size_t> places) override {
    kept += places.size();
    RelationBatch::Keep(places);
  }
  std::size_t kept = 0;
};

TEST(TakeOutboxes, TakesNoMoreThanItsBoundAndGoesOnThere) {
  const WorkPlace place{Placement::Modulo({4, 1}), Shard(0)};
  MemoryTables tables;
  MemoryEdges edges(tables, projections::kFollowing, Generation(1));
  RowLoader rows(edges, RowMemory::kEntriesMax);
  ManualClock clock;
  EndedAccounts accounts(std::make_unique<MemoryErasures>(tables), clock);
  LaneSet lanes;
  for (const Partition partition : {Partition(0), Partition(1)}) {
    TakenLane taken = LaneWith(0, 1, {});
    taken.lane.partition = partition;
    taken.outbox = {RowOf(partition, 0, 3), RowOf(partition, 3, 5)};
    lanes.Add(taken);
  }
  const auto taken = [&](std::size_t records_max) {
    CountingBatch batch(rows, accounts, Direction::kFollowing, FollowLimit(1000), place);
    TakeOutboxes(lanes, records_max, batch);
    std::vector<std::int64_t> reached;
    for (Lane* lane : lanes.All()) {
      EXPECT_EQ(lane->halt, std::nullopt);
      reached.push_back(lane->draft.next_offset.value);
    }
    return std::pair(batch.kept, reached);
  };
  using Reached = std::vector<std::int64_t>;
  EXPECT_EQ(taken(1), std::pair(std::size_t{1}, Reached{2, 1})) << "part of a row";
  EXPECT_EQ(taken(5), std::pair(std::size_t{5}, Reached{5, 3}));
  EXPECT_EQ(taken(5), std::pair(std::size_t{2}, Reached{5, 5}));
  EXPECT_EQ(taken(5), std::pair(std::size_t{0}, Reached{5, 5}));
}

}  // namespace
}  // namespace fanfold::testing
