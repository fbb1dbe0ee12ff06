// What every TableOperations does. An adapter's test includes this and instantiates
// TableOperationsContract with its TablesFactory.
#pragma once

#include <string>
#include <vector>

#include "common/ports/edge_kind.h"
#include "common/ports/repair_base.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class TableOperationsContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  TableOperationsContract()
      : tables_(GetParam().make()),
        store_(tables_->NewStore()),
        operations_(tables_->NewOperations()),
        reader_(tables_->NewReader()) {}

  LaneStatus StatusOf(const LaneId& lane) {
    for (const LaneStatus& status : Must(reader_->Lanes())) {
      if (status.lane == lane) return status;
    }
    ADD_FAILURE() << "no such lane";
    return {};
  }

  bool Owned(const TakenLane& lane) {
    const LaneFence held{lane.lane, lane.fence};
    return Must(store_->FenceStatesOf(std::span(&held, 1), "tester")).at(0) == FenceState::kHeld;
  }

  // Of following, partition 0.
  static RepairScope ScopeOf(std::vector<EdgeKey> edges, std::vector<UserId> users) {
    return {projections::kFollowing, kG1,     {Partition(0)}, std::move(edges),
            std::move(users),        "tested"};
  }

  RepairBase BaseOf(const RepairScope& scope) {
    return Must(ReadRepairBase(*tables_->NewSnapshot(), scope, [] { return true; }, 2));
  }

  // A repair whose topics say `to_be`.
  Result<RepairDone> Repair(const RepairScope& scope, std::vector<Edge> to_be) {
    return Repair(scope, BaseOf(scope), std::move(to_be));
  }
  Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                            std::vector<Edge> to_be) {
    std::vector<RowToBe> rows;
    for (const Edge& edge : to_be) rows.push_back({StateOf(edge), {}});
    return operations_->Repair(scope, base,
                               [&](const RepairView& view) -> Result<std::vector<RowToBe>> {
                                 seen_ = view;
                                 return rows;
                               });
  }

  static std::string CodeOf(const Result<RepairDone>& done) {
    return done ? "ok" : ToString(done.error().code);
  }

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
  std::unique_ptr<TableOperations> operations_;
  std::unique_ptr<ProjectionReader> reader_;
  RepairView seen_;
};

TEST_P(TableOperationsContract, PausedLaneFencesItsOwnerAndStaysPausedThoughTaken) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  ASSERT_TRUE(operations_->Pause(lane.lane, "on request"));
  EXPECT_FALSE(Owned(lane));
  EXPECT_EQ(CodeName(store_->Commit(BatchOf(lane, 1))), "fenced");
  const TakenLane again = TakeOne(*store_, lane.lane);
  EXPECT_EQ(again.state, LaneState::kPaused);
  EXPECT_EQ(again.state_reason, "on request");
  EXPECT_EQ(CodeName(store_->Commit(BatchOf(again, 1))), "fenced");
}

TEST_P(TableOperationsContract, ResumedLaneGoesOnWhereItStood) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 7));
  ASSERT_TRUE(operations_->Pause(lane.lane, "on request"));
  ASSERT_TRUE(operations_->Resume(lane.lane));
  TakenLane again = TakeOne(*store_, lane.lane);
  EXPECT_EQ(again.state, LaneState::kRunning);
  EXPECT_EQ(again.state_reason, "");
  EXPECT_EQ(again.progress, lane.progress);
  CommitAndFollow(*store_, again, BatchOf(again, 1));
}

TEST_P(TableOperationsContract, HaltedLaneIsNotPausedButResumed) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(0));
  ASSERT_TRUE(store_->SetState(lane.lane, lane.fence, LaneState::kHalted, "log_gap"));
  EXPECT_EQ(CodeName(operations_->Pause(lane.lane, "on request")), "refused");
  EXPECT_EQ(StatusOf(lane.lane).state_reason, "log_gap");
  ASSERT_TRUE(operations_->Resume(lane.lane));
  EXPECT_EQ(StatusOf(lane.lane).state, LaneState::kRunning);
}

TEST_P(TableOperationsContract, RepeatedWordsChangeNothing) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(0));
  ASSERT_TRUE(operations_->Resume(lane.lane));
  EXPECT_TRUE(Owned(lane));
  ASSERT_TRUE(operations_->Pause(lane.lane, "first"));
  const std::uint64_t epoch = StatusOf(lane.lane).owner_epoch;
  ASSERT_TRUE(operations_->Pause(lane.lane, "second"));
  EXPECT_EQ(StatusOf(lane.lane).state_reason, "first");
  EXPECT_EQ(StatusOf(lane.lane).owner_epoch, epoch);
}

TEST_P(TableOperationsContract, RewoundLaneStandsAtTheEventInBothTopicsAndKnowsTheLog) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch = BatchOf(lane, 10);
  batch.moves[0].to.outcome_offset = Offset(12);
  batch.moves[0].to.published_offset = Offset(9);
  batch.moves[0].to.event_mark = {Offset(9), 77};
  CommitAndFollow(*store_, lane, batch);
  EXPECT_EQ(CodeName(operations_->Rewind(lane.lane, Offset(11))), "invalid_argument");
  EXPECT_TRUE(Owned(lane));
  ASSERT_TRUE(operations_->Rewind(lane.lane, Offset(4)));
  EXPECT_FALSE(Owned(lane));
  EXPECT_EQ(StatusOf(lane.lane).progress,
            (LaneProgress{Offset(4), Offset(4), Offset(4), Offset(4), {Offset(9), 77}, {}}));
  EXPECT_EQ(TakeOne(*store_, lane.lane).folded_offset, Offset(10));
}

TEST_P(TableOperationsContract, RewoundLaneSaysHowFarItHadComeUntilItIsBack) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 10, {Row(1, 2, true, 20, 9)}));
  TakenLane fans = TakeOne(*store_, FansLane(0), kApplying);
  CommitAndFollow(*store_, fans, BatchOf(fans, 10));
  const auto rewound = [&] {
    const UserView view = Must(reader_->View({kG1, kG1}, UserId(1), Partition(0), {}));
    const EdgeView edge =
        Must(reader_->EdgeAt(Direction::kFollowing, kG1, {UserId(1), UserId(2)}, Partition(0)));
    EXPECT_EQ(edge.rewound, view.position.following_rewound);
    EXPECT_EQ(IsRewound(StatusOf(lane.lane)), view.position.following_rewound);
    EXPECT_EQ(IsRewound(StatusOf(fans.lane)), view.position.fans_rewound);
    return std::pair(view.position.following_rewound, view.position.fans_rewound);
  };
  EXPECT_EQ(rewound(), std::pair(false, false));
  ASSERT_TRUE(operations_->Rewind(lane.lane, Offset(4)));
  EXPECT_EQ(rewound(), std::pair(true, false));
  EXPECT_EQ(StatusOf(lane.lane).folded_offset, Offset(10));
  ASSERT_TRUE(operations_->Rewind(lane.lane, Offset(2)));
  EXPECT_EQ(StatusOf(lane.lane).folded_offset, Offset(10));
  ASSERT_TRUE(operations_->Rewind(fans.lane, Offset(0)));
  EXPECT_EQ(rewound(), std::pair(true, true));
  const UserView view = Must(reader_->View({kG1, kG1}, UserId(1), Partition(0), {}));
  EXPECT_EQ(view.position.following, Offset(2));
  EXPECT_EQ(view.position.fans.at(0), Offset(0));
  lane = TakeOne(*store_, lane.lane);
  CommitAndFollow(*store_, lane, BatchOf(lane, 7));
  EXPECT_EQ(rewound(), std::pair(true, true)) << "at 9 of 10";
  CommitAndFollow(*store_, lane, BatchOf(lane, 1));
  EXPECT_EQ(rewound(), std::pair(false, true));
  CommitAndFollow(*store_, lane, BatchOf(lane, 1));
  EXPECT_EQ(StatusOf(lane.lane).folded_offset, Offset(11));
}

TEST_P(TableOperationsContract, LaneNobodyHasTakenIsNotFound) {
  EXPECT_EQ(CodeName(operations_->Pause(FansLane(5), "x")), "not_found");
  EXPECT_EQ(CodeName(operations_->Resume(FansLane(5))), "not_found");
  EXPECT_EQ(CodeName(operations_->Rewind(FansLane(5), Offset(0))), "not_found");
}

TEST_P(TableOperationsContract, ParkedRecordIsForgottenOnce) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch = BatchOf(lane, 2);
  for (const std::int64_t offset : {0, 1}) {
    batch.parked.push_back({lane.lane, Offset(offset), ParkReason::kMalformed, "", "", "", 0});
  }
  CommitAndFollow(*store_, lane, batch);
  EXPECT_TRUE(operations_->DropParked(projections::kFollowing, Partition(0), Offset(0)));
  EXPECT_EQ(CodeName(operations_->DropParked(projections::kFollowing, Partition(0), Offset(0))),
            "not_found");
  EXPECT_EQ(Must(reader_->Parked(projections::kFollowing, {}, 10)).size(), 1U);
}

TEST_P(TableOperationsContract, RepairMakesRowsAndCountsWhatTheyHaveToBe) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch =
      BatchOf(lane, 9, {Row(1, 2, true, 20, 3), Row(1, 3, true, 30, 4), Row(1, 4, true, 40, 5)});
  batch.counts.push_back({UserId(7), 5});
  CommitAndFollow(*store_, lane, batch);
  // 1 → 2 has to be as it is, 1 → 3 unfollowed at a lower version, 1 → 4 not there, 1 → 5 there.
  const std::vector<EdgeKey> keys = {{UserId(1), UserId(2)},
                                     {UserId(1), UserId(3)},
                                     {UserId(1), UserId(4)},
                                     {UserId(1), UserId(5)}};
  const std::vector<Edge> to_be = {
      {true, 20, Version(3)}, {false, 30, Version(2)}, {}, {true, 50, Version(6)}};
  const RepairDone done = Must(Repair(ScopeOf(keys, {UserId(1), UserId(7), UserId(8)}), to_be));
  EXPECT_EQ(done.rows, (std::vector<EdgeKey>{keys[1], keys[2], keys[3]}));
  EXPECT_EQ(done.counts, (std::vector{UserId(1), UserId(7)}));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(LoadedEdge(*store_, 1, keys[i].other.value), to_be[i]) << i;
  }
  EXPECT_EQ(LoadedCount(*store_, 1), 2);
  EXPECT_EQ(LoadedCount(*store_, 7), 0);
}

TEST_P(TableOperationsContract, RepairGoesOnFromItsBaseByWhatTheLanesHaveCounted) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch =
      BatchOf(lane, 9, {Row(1, 2, true, 20, 1), Row(1, 3, false, 20, 2), Row(1, 4, true, 20, 3)});
  batch.counts.at(0).delta += 10;
  CommitAndFollow(*store_, lane, batch);
  const RepairScope scope = ScopeOf({{UserId(1), UserId(9)}}, {UserId(1), UserId(6)});
  const RepairBase base = BaseOf(scope);
  batch = BatchOf(lane, 9,
                  {Row(1, 5, true, 20, 11), Row(1, 6, true, 20, 12), Row(6, 1, true, 20, 13),
                   Row(1, 2, false, 20, 14)});
  std::ranges::find(batch.counts, UserId(1), &CountWrite::user)->delta -= 1;
  CommitAndFollow(*store_, lane, batch);
  const RepairDone done = Must(Repair(scope, base, {{true, 20, Version(5)}}));
  EXPECT_EQ(done.counts, std::vector{UserId(1)});
  EXPECT_EQ(LoadedCount(*store_, 1), 4) << "4, 5, 6, and 9, which was mended";
  EXPECT_EQ(LoadedCount(*store_, 6), 1) << "who had no count then";
}

TEST_P(TableOperationsContract, RepairOfAnEdgeThatMovedSinceItsBaseIsAConflict) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const RepairScope scope = ScopeOf({{UserId(1), UserId(2)}}, {UserId(1)});
  const RepairBase base = BaseOf(scope);
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, true, 20, 1)}));
  EXPECT_EQ(CodeOf(Repair(scope, base, {{true, 20, Version(3)}})), "conflict");
  EXPECT_TRUE(Owned(lane));
  EXPECT_EQ(LoadedEdge(*store_, 1, 2).version, Version(1));
}

TEST_P(TableOperationsContract, RepairOfAUserRepairedSinceItsBaseIsAConflict) {
  (void)TakeOne(*store_, FollowingLane(0));
  const RepairScope scope = ScopeOf({}, {UserId(1)});
  const RepairBase base = BaseOf(scope);
  (void)Must(Repair(ScopeOf({{UserId(5), UserId(2)}}, {UserId(5)}), {{true, 20, Version(3)}}));
  EXPECT_EQ(CodeOf(Repair(scope, base, {})), "ok") << "it was another's";
  RepairScope fans = ScopeOf({{UserId(1), UserId(2)}}, {UserId(1)});
  fans.projection = projections::kFans;
  (void)Must(Repair(fans, {{true, 20, Version(3)}}));
  EXPECT_EQ(CodeOf(Repair(scope, base, {})), "ok") << "of another table";
  (void)Must(Repair(ScopeOf({{UserId(1), UserId(2)}}, {UserId(1)}), {{true, 20, Version(3)}}));
  EXPECT_EQ(CodeOf(Repair(scope, base, {})), "conflict");
  EXPECT_EQ(CodeOf(Repair(scope, BaseOf(scope), {})), "ok");
}

TEST_P(TableOperationsContract, RepairFencesTheLanesOfItsPartitionsAlone) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const TakenLane other = TakeOne(*store_, FollowingLane(1));
  const TakenLane fans = TakeOne(*store_, FansLane(0), kApplying);
  const std::vector<EdgeKey> keys = {{UserId(1), UserId(2)}};
  ASSERT_NE(Must(Repair(ScopeOf(keys, {UserId(1)}), {{true, 20, Version(3)}})).mark, 0U);
  EXPECT_FALSE(Owned(lane));
  EXPECT_TRUE(Owned(other));
  EXPECT_TRUE(Owned(fans));
  EXPECT_EQ(CodeName(store_->Commit(BatchOf(lane, 1))), "fenced");
}

TEST_P(TableOperationsContract, RepairOfWhatIsRightLeavesNoTrace) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 9, {Row(1, 2, true, 20, 3)}));
  const std::vector<EdgeKey> keys = {{UserId(1), UserId(2)}, {UserId(1), UserId(3)}};
  const RepairDone done =
      Must(Repair(ScopeOf(keys, {UserId(1), UserId(2)}), {{true, 20, Version(3)}, {}}));
  EXPECT_EQ(done.mark, 0U);
  EXPECT_TRUE(done.rows.empty() && done.counts.empty());
  EXPECT_TRUE(Owned(lane));
  EXPECT_TRUE(Must(reader_->RepairsAfter(0, 10)).empty());
}

TEST_P(TableOperationsContract, EachRepairHasAMarkAboveTheLast) {
  (void)TakeOne(*store_, FollowingLane(0));
  const std::vector<EdgeKey> keys = {{UserId(1), UserId(2)}};
  const RepairDone first = Must(Repair(ScopeOf(keys, {UserId(1)}), {{true, 20, Version(3)}}));
  const RepairDone second = Must(Repair(ScopeOf(keys, {}), {{false, 20, Version(4)}}));
  EXPECT_GT(second.mark, first.mark);
  const std::vector<RepairRow> records = Must(reader_->RepairsAfter(first.mark, 10));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0], (RepairRow{second.mark, projections::kFollowing, kG1, UserId(1)}));
}

TEST_P(TableOperationsContract, RepairShowsWhereTheLanesStandAndWhatIsUnpublished) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  EdgeBatch batch = BatchOf(lane, 3);
  batch.outbox.push_back({Partition(0), kG1, Offset(0), Offset(3), "decided"});
  CommitAndFollow(*store_, lane, batch);
  (void)TakeOne(*store_, FansLane(0), kApplying);
  (void)Must(Repair(ScopeOf({}, {UserId(1)}), {}));
  ASSERT_EQ(seen_.lanes.size(), 1U);
  EXPECT_EQ(seen_.lanes[0].progress, lane.progress);
  ASSERT_EQ(seen_.outbox.size(), 1U);
  EXPECT_EQ(seen_.outbox[0].outcomes, "decided");
}

TEST_P(TableOperationsContract, RepairThatCannotFoldChangesNothing) {
  const TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const RepairScope scope = ScopeOf({{UserId(1), UserId(2)}}, {});
  const Result<RepairDone> done = operations_->Repair(
      scope, BaseOf(scope), [](const RepairView&) -> Result<std::vector<RowToBe>> {
        return Fail(ErrorCode::kUnavailable, "the log is away");
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(done.error().message, "the log is away");
  EXPECT_TRUE(Owned(lane));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TableOperationsContract);

}  // namespace fanfold::testing
