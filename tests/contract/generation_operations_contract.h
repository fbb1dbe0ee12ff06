// What every GenerationOperations does. An adapter's test includes this and instantiates
// GenerationOperationsContract with its TablesFactory.
#pragma once

#include <chrono>
#include <vector>

#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class GenerationOperationsContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  static constexpr Generation kG2{2};
  static constexpr Projection kFollowing = projections::kFollowing;
  static constexpr Projection kFans = projections::kFans;

  GenerationOperationsContract()
      : tables_(GetParam().make()),
        store_(tables_->NewStore()),
        generations_(tables_->NewGenerations()) {}

  // The second generation of `projection`, of partitions 0 and 1.
  Status Make(Projection projection, std::optional<std::int64_t> until_ms = std::nullopt) {
    const std::vector<Partition> partitions = {Partition(0), Partition(1)};
    return generations_->Create(projection, kG2, kFirstSlotMap, partitions, until_ms);
  }

  std::vector<Generation> Folded(Projection projection) {
    std::vector<Generation> folded;
    for (const auto& generation : Must(store_->Generations(projection))) {
      folded.push_back(generation.generation);
    }
    return folded;
  }

  bool Decides(Generation generation) {
    for (const auto& folded : Must(store_->Generations(kFollowing))) {
      if (folded.generation == generation) return folded.to_decide;
    }
    return false;
  }

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
  std::unique_ptr<GenerationOperations> generations_;
};

TEST_P(GenerationOperationsContract, FirstGenerationIsFoldedAndFollowingsDecides) {
  const auto all = Must(generations_->List());
  ASSERT_EQ(all.size(), Projection::kCount);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].projection, Projection::All()[i]);
    EXPECT_EQ(all[i].to_decide, all[i].projection.decides());
  }
  EXPECT_EQ(Folded(kFans), std::vector{kG1});
}

TEST_P(GenerationOperationsContract, MadeGenerationIsLoadingWithLanesThatApply) {
  ASSERT_TRUE(Make(kFollowing));
  ASSERT_TRUE(Make(kFollowing));  // once more
  EXPECT_EQ(Must(generations_->List()).size(), Projection::kCount + 1);
  EXPECT_EQ(Folded(kFollowing), std::vector{kG1});
  const TakenLane lane = TakeOne(*store_, FollowingLane(1, kG2), kDeciding);
  EXPECT_EQ(lane.deciding, kApplying);
  EXPECT_EQ(lane.progress, LaneProgress{});
}

TEST_P(GenerationOperationsContract, LoadedGenerationCountsItsRowsAndIsFolded) {
  ASSERT_TRUE(Make(kFollowing));
  TakenLane lane = TakeOne(*store_, FollowingLane(0, kG2));
  EdgeBatch batch =
      BatchOf(lane, 5, {Row(1, 2, true, 10, 1), Row(1, 3, false, 10, 2), Row(4, 2, false, 10, 3)});
  batch.counts.clear();
  CommitAndFollow(*store_, lane, batch);
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  EXPECT_EQ(Folded(kFollowing), (std::vector{kG1, kG2}));
  const std::vector<UserId> users = {UserId(1), UserId(4)};
  EXPECT_EQ(Must(OpenEdges(*store_, kFollowing, kG2)->Load({}, users)).counts,
            (std::vector{EdgeCount(1), EdgeCount(0)}));
  EXPECT_EQ(Must(tables_->NewReader()->Page(Direction::kFollowing, kG2, UserId(1), {}, 10)).size(),
            1U);
}

// Nobody folds it, decides with it or is sent to it, so it stays as it was loaded.
TEST_P(GenerationOperationsContract, SideGenerationIsLoadedAndLeftAlone) {
  ASSERT_TRUE(Make(kFollowing, 1'700'000'000'000));
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  const GenerationRow made = Must(generations_->List()).at(1);
  EXPECT_EQ(made.state, GenerationState::kSide);
  EXPECT_EQ(made.until_ms, 1'700'000'000'000);
  EXPECT_EQ(Folded(kFollowing), std::vector{kG1});
  EXPECT_EQ(CodeName(generations_->OrderToDecide(projections::kFollowing, kG2)), "refused");
  EXPECT_EQ(CodeName(generations_->Read(kFollowing, kG2)), "refused");
  EXPECT_TRUE(generations_->Drop(kFollowing, kG2));
}

TEST_P(GenerationOperationsContract, LanesSayWhetherTheirGenerationIsBeingLoaded) {
  ASSERT_TRUE(Make(kFollowing));
  TakeOne(*store_, FollowingLane(0));
  const auto reader = tables_->NewReader();
  const auto loading = [&] {
    std::vector<bool> all;
    for (const LaneStatus& lane : Must(reader->Lanes())) all.push_back(lane.loading);
    return all;
  };
  EXPECT_EQ(loading(), (std::vector{false, true, true}));
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  EXPECT_EQ(loading(), (std::vector{false, false, false}));
}

TEST_P(GenerationOperationsContract, LanesSayHowFarTheirGenerationIsLoaded) {
  ASSERT_TRUE(Make(kFollowing));
  ASSERT_TRUE(generations_->ShowLoad(kFollowing, kG2, {3, 10}));
  ASSERT_TRUE(generations_->ShowLoad(kFollowing, kG2, {7, 11}));
  const auto reader = tables_->NewReader();
  const LoadProgress load = Must(reader->Lanes()).back().load;
  EXPECT_EQ(load, (LoadProgress{7, 11}));
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  EXPECT_EQ(Must(reader->Lanes()).back().load, LoadProgress());
}

TEST_P(GenerationOperationsContract, OneAtATimeHoldsAProjectionsGenerations) {
  ASSERT_TRUE(generations_->Hold(kFans));
  ASSERT_TRUE(generations_->Hold(kFans)) << "whoever holds them may say it again";
  auto other = tables_->NewGenerations();
  EXPECT_EQ(CodeName(other->Hold(kFans)), "refused");
  EXPECT_TRUE(other->Hold(kFollowing));
  ASSERT_TRUE(Make(kFans));
  EXPECT_EQ(CodeName(generations_->Hold(kFollowing)), "refused");
  generations_ = tables_->NewGenerations();
  EXPECT_TRUE(other->Hold(kFans)) << "it ends with its holder";
}

TEST_P(GenerationOperationsContract, OneFoldedGenerationIsToDecide) {
  EXPECT_EQ(CodeName(generations_->OrderToDecide(projections::kFollowing, kG2)), "refused");
  ASSERT_TRUE(Make(kFollowing));
  EXPECT_EQ(CodeName(generations_->OrderToDecide(projections::kFollowing, kG2)), "refused");
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  ASSERT_TRUE(generations_->OrderToDecide(projections::kFollowing, kG2));
  EXPECT_TRUE(Decides(kG2));
  EXPECT_FALSE(Decides(kG1));
}

TEST_P(GenerationOperationsContract, ReadersAreToldOfAFoldedGeneration) {
  EXPECT_EQ(CodeName(generations_->Read(kFans, kG2)), "refused");
  ASSERT_TRUE(Make(kFans));
  ASSERT_TRUE(generations_->FinishLoading(kFans, kG2));
  ASSERT_TRUE(generations_->Read(kFans, kG2));
  EXPECT_EQ(Must(tables_->NewReader()->ReadCatalog()).read, (ReadGenerations{kG1, kG2}));
}

TEST_P(GenerationOperationsContract, GenerationCarriesItsSlotMap) {
  constexpr SlotMapId kOther{2};
  ASSERT_TRUE(generations_->Create(kFans, kG2, kOther, std::vector{Partition(0)}, std::nullopt));
  ASSERT_TRUE(generations_->Create(kFans, kG2, kOther, std::vector{Partition(0)}, std::nullopt));
  EXPECT_EQ(Must(tables_->NewReader()->Lanes()).back().slot_map, kOther);
  ASSERT_TRUE(generations_->FinishLoading(kFans, kG2));
  for (const GenerationRow& row : Must(generations_->List())) {
    const bool is_it = row.projection == kFans && row.generation == kG2;
    EXPECT_EQ(row.slot_map, is_it ? kOther : kFirstSlotMap);
  }
  EXPECT_EQ(Must(store_->Generations(kFans)),
            (std::vector<FoldedGeneration>{{kG1, false, kFirstSlotMap}, {kG2, false, kOther}}));
}

TEST_P(GenerationOperationsContract, OneOfAnotherSlotMapIsNotReadBesideTheOthers) {
  ASSERT_TRUE(generations_->Create(kFans, kG2, SlotMapId(2), {}, std::nullopt));
  ASSERT_TRUE(generations_->FinishLoading(kFans, kG2));
  EXPECT_EQ(CodeName(generations_->Read(kFans, kG2)), "refused");
  EXPECT_EQ(Must(tables_->NewReader()->ReadCatalog()).read, kReadG1);
}

TEST_P(GenerationOperationsContract, CatalogTellsForHowLongItIsAsItIs) {
  using std::chrono::steady_clock;
  const auto ms_since = [](steady_clock::time_point began) {
    return std::chrono::ceil<std::chrono::milliseconds>(steady_clock::now() - began).count();
  };
  ASSERT_TRUE(Make(kFans));
  ASSERT_TRUE(generations_->FinishLoading(kFans, kG2));
  const auto began = steady_clock::now();
  while (Must(generations_->ReadSinceMs()) < 20) ASSERT_LT(ms_since(began), 10'000);
  const auto changed = steady_clock::now();
  ASSERT_TRUE(generations_->Read(kFans, kG2));
  const std::int64_t since_ms = Must(generations_->ReadSinceMs());
  EXPECT_GE(since_ms, 0);
  EXPECT_LE(since_ms, ms_since(changed) + 1) << "the clock of milliseconds is cut";
}

TEST_P(GenerationOperationsContract, DroppedGenerationLeavesNothing) {
  ASSERT_TRUE(Make(kFans));
  ASSERT_TRUE(generations_->Drop(kFans, kG2));
  ASSERT_TRUE(generations_->Drop(kFans, kG2));
  EXPECT_EQ(Must(generations_->List()).size(), Projection::kCount);
  EXPECT_TRUE(Must(tables_->NewReader()->Lanes()).empty());
  const auto rows = tables_->NewSnapshot()->Rows(kFans, kG2, {}, UserId(kUserIdMax), 10);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::kRefused);
}

TEST_P(GenerationOperationsContract, WhatWasParkedStaysListedOnceWhenItsGenerationGoes) {
  ASSERT_TRUE(Make(kFollowing));
  const auto park = [&](Generation generation, std::int64_t offset) {
    TakenLane lane = TakeOne(*store_, FollowingLane(0, generation));
    EdgeBatch batch = BatchOf(lane, 1);
    batch.parked.push_back({lane.lane, Offset(offset), ParkReason::kMalformed, "", "", "1", 0});
    CommitAndFollow(*store_, lane, batch);
  };
  park(kG1, 3);
  park(kG2, 3);
  park(kG2, 4);
  ASSERT_TRUE(generations_->Drop(kFollowing, kG2));
  std::vector<std::int64_t> offsets;
  for (const auto& row : Must(tables_->NewReader()->Parked(kFollowing, std::nullopt, 10))) {
    offsets.push_back(row.offset.value);
  }
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{3, 4}));
}

// Its worker may not have noticed yet: lanes that came back would decide beside others, and halt
// them.
TEST_P(GenerationOperationsContract, LanesOfADroppedGenerationDoNotComeBack) {
  ASSERT_TRUE(Make(kFollowing));
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  TakeOne(*store_, FollowingLane(0, kG2));
  ASSERT_TRUE(generations_->Drop(kFollowing, kG2));
  const auto again = store_->TakeFences(std::vector{FollowingLane(0, kG2)}, kDeciding, "tester");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kRefused);
  EXPECT_TRUE(Must(tables_->NewReader()->Lanes()).empty());
}

TEST_P(GenerationOperationsContract, GenerationThatDecidesOrIsToIsNotDropped) {
  EXPECT_EQ(CodeName(generations_->Drop(kFollowing, kG1)), "refused");
  ASSERT_TRUE(Make(kFollowing));
  ASSERT_TRUE(generations_->FinishLoading(kFollowing, kG2));
  TakeOne(*store_, FollowingLane(0));
  ASSERT_TRUE(generations_->OrderToDecide(projections::kFollowing, kG2));
  EXPECT_EQ(CodeName(generations_->Drop(kFollowing, kG1)), "refused") << "its lane decides still";
  EXPECT_EQ(CodeName(generations_->Drop(kFollowing, kG2)), "refused");
}

TEST_P(GenerationOperationsContract, OneStopsDecidingBeforeTheOtherBegins) {
  ASSERT_TRUE(Make(kFollowing));
  TakenLane first = TakeOne(*store_, FollowingLane(0));
  TakenLane second = TakeOne(*store_, FollowingLane(0, kG2));
  EdgeBatch batch = BatchOf(first, 3);
  batch.moves[0].to.outcome_offset = Offset(4);
  batch.moves[0].to.event_mark = {Offset(2), 77};
  batch.outbox.push_back({Partition(0), kG1, Offset(0), Offset(3), "decided"});
  CommitAndFollow(*store_, first, batch);
  EXPECT_FALSE(Must(store_->StartDeciding(second.lane, second.fence))) << "the first one decides";
  EXPECT_EQ(CodeName(store_->StopDeciding(first.lane, first.fence)), "refused") << "unpublished";
  EdgeBatch published = BatchOf(first, 0);
  published.moves[0].to.published_offset = Offset(3);
  CommitAndFollow(*store_, first, published);
  ASSERT_TRUE(store_->StopDeciding(first.lane, first.fence));
  EXPECT_EQ(CodeName(store_->StopDeciding(first.lane, first.fence)), "fenced")
      << "its fence was lost";
  EXPECT_FALSE(Must(store_->StartDeciding(second.lane, second.fence))) << "it lacks three events";
  CommitAndFollow(*store_, second, BatchOf(second, 3));
  EXPECT_TRUE(Must(store_->StartDeciding(second.lane, second.fence)));
  const TakenLane stepped_down = TakeOne(*store_, FollowingLane(0));
  EXPECT_EQ(stepped_down.deciding, kApplying);
  EXPECT_EQ(stepped_down.progress.next_offset, Offset(4)) << "of the outcomes";
  const TakenLane stepped_up = TakeOne(*store_, FollowingLane(0, kG2));
  EXPECT_EQ(stepped_up.deciding, kDeciding);
  EXPECT_EQ(stepped_up.progress.next_offset, Offset(3)) << "of the events";
  EXPECT_EQ(stepped_up.progress.event_mark, (RecordMark{Offset(2), 77})) << "as who decided did";
  EXPECT_FALSE(Must(store_->StartDeciding(stepped_down.lane, stepped_down.fence)));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GenerationOperationsContract);

}  // namespace fanfold::testing
