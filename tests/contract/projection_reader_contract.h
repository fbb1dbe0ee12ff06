// What every ProjectionReader answers. An adapter's test includes this and instantiates
// ProjectionReaderContract with its TablesFactory.
#pragma once

#include <string>
#include <vector>

#include "common/ports/deployment.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class ProjectionReaderContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  ProjectionReaderContract()
      : tables_(GetParam().make()),
        store_(tables_->NewStore()),
        reader_(tables_->NewReader()),
        following_(TakeOne(*store_, FollowingLane(0), kDeciding)),
        fans_(TakeOne(*store_, FansLane(0), kApplying)) {}

  void Following(std::vector<EdgeRow> rows) {
    CommitAndFollow(*store_, following_, BatchOf(following_, 1, std::move(rows)));
  }
  void Fans(std::vector<EdgeRow> rows) {
    CommitAndFollow(*store_, fans_, BatchOf(fans_, 1, std::move(rows)));
  }

  // All entries, read page after page; the pages' sizes are checked on the way.
  template <class ReadPage>
  std::vector<ListedUser> ReadThrough(std::size_t limit, const ReadPage& read_page) {
    std::vector<ListedUser> all;
    PageStart start;
    while (true) {
      const std::vector<ListedUser> page = Must(read_page(start, limit));
      EXPECT_LE(page.size(), limit);
      all.insert(all.end(), page.begin(), page.end());
      if (page.size() < limit || all.size() > 1000) return all;
      start.after = page.back();
    }
  }

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
  std::unique_ptr<ProjectionReader> reader_;
  TakenLane following_;
  TakenLane fans_;
};

inline std::vector<ListedUser> Entries(
    std::initializer_list<std::pair<std::uint64_t, std::int64_t>> pairs) {
  std::vector<ListedUser> entries;
  for (const auto& [user, since] : pairs) entries.push_back({UserId(user), since});
  return entries;
}

TEST_P(ProjectionReaderContract, UserNobodyMentionedHasNothing) {
  EXPECT_TRUE(Must(reader_->Page(Direction::kFans, kG1, UserId(1), {}, 10)).empty());
  EXPECT_TRUE(Must(reader_->FriendsPage(kReadG1, UserId(1), {}, 10)).empty());
  const std::vector<UserId> users = {UserId(1)};
  EXPECT_EQ(Must(reader_->Counts(kReadG1, users)), (std::vector{UserCounts{UserId(1), 0, 0, 0}}));
  EXPECT_EQ(Must(reader_->Relations(kReadG1, UserId(1), users)), std::vector{Directions{}});
  EXPECT_TRUE(Must(reader_->Among(Direction::kFans, kG1, UserId(1), users)).empty());
}

TEST_P(ProjectionReaderContract, PagesAreNewestFirstTiesByIdWithEveryLimit) {
  const auto rows = [](bool reversed) {
    std::vector<EdgeRow> writes;
    for (const auto& [other, since] : std::vector<std::pair<std::uint64_t, std::int64_t>>{
             {10, 500}, {11, 700}, {12, 500}, {13, 500}, {14, 0}, {15, 900}, {kUserIdMax, 500}}) {
      writes.push_back(Row(1, other, true, since, 1));
    }
    writes.push_back(Row(1, 16, false, 600, 1));  // no longer followed
    writes.push_back(Row(2, 17, true, 600, 1));   // somebody else's
    if (reversed) std::ranges::reverse(writes);
    return writes;
  };
  Following(rows(false));
  Fans(rows(true));
  const auto expected =
      Entries({{15, 900}, {11, 700}, {kUserIdMax, 500}, {13, 500}, {12, 500}, {10, 500}, {14, 0}});
  for (const Direction list : {Direction::kFollowing, Direction::kFans}) {
    for (std::size_t limit = 1; limit <= expected.size() + 1; ++limit) {
      const auto all = ReadThrough(limit, [&](const PageStart& start, std::size_t n) {
        return reader_->Page(list, kG1, UserId(1), start, n);
      });
      EXPECT_EQ(all, expected) << ToString(ProjectionOf(list)) << ' ' << limit;
    }
  }
}

TEST_P(ProjectionReaderContract, PageAfterAnEntryThatWentAwayGoesOnFromItsPlace) {
  Following({Row(1, 10, true, 500, 1), Row(1, 12, true, 500, 1), Row(1, 20, true, 400, 1)});
  const PageStart start{ListedUser{UserId(11), 500}, 0};
  EXPECT_EQ(Must(reader_->Page(Direction::kFollowing, kG1, UserId(1), start, 10)),
            Entries({{10, 500}, {20, 400}}));
}

TEST_P(ProjectionReaderContract, PagesByOffset) {
  Following({Row(1, 10, true, 300, 1), Row(1, 11, true, 200, 1), Row(1, 12, true, 100, 1)});
  Fans({Row(1, 10, true, 300, 1), Row(1, 11, true, 200, 1), Row(1, 12, true, 100, 1)});
  for (std::int64_t offset = 0; offset <= 4; ++offset) {
    const auto page = Must(reader_->Page(Direction::kFollowing, kG1, UserId(1), {{}, offset}, 2));
    EXPECT_EQ(page, Must(reader_->FriendsPage(kReadG1, UserId(1), {{}, offset}, 2))) << offset;
    EXPECT_EQ(page.size(), static_cast<std::size_t>(std::clamp<std::int64_t>(3 - offset, 0, 2)));
    if (!page.empty()) {
      EXPECT_EQ(page[0].user, UserId(static_cast<std::uint64_t>(10 + offset)));
    }
  }
}

TEST_P(ProjectionReaderContract, FriendsAreInBothListsSinceTheLaterOfTheTwo) {
  Following({Row(1, 10, true, 100, 1), Row(1, 11, true, 300, 1), Row(1, 12, true, 50, 1),
             Row(1, 13, true, 999, 1), Row(1, 14, false, 999, 1), Row(1, 15, true, 999, 1)});
  Fans({Row(1, 10, true, 200, 1), Row(1, 11, true, 30, 1), Row(1, 12, true, 200, 1),
        Row(1, 14, true, 999, 1), Row(1, 15, false, 999, 1), Row(1, 16, true, 999, 1)});
  const auto expected = Entries({{11, 300}, {12, 200}, {10, 200}});
  for (std::size_t limit = 1; limit <= expected.size() + 1; ++limit) {
    const auto all = ReadThrough(limit, [&](const PageStart& start, std::size_t n) {
      return reader_->FriendsPage(kReadG1, UserId(1), start, n);
    });
    EXPECT_EQ(all, expected) << limit;
  }
}

TEST_P(ProjectionReaderContract, CountsAreWhatTheListsHoldInTheOrderAsked) {
  Following({Row(1, 2, true, 1, 1), Row(1, 3, true, 1, 1), Row(1, 4, false, 1, 1),
             Row(5, 1, true, 1, 1)});
  Fans({Row(1, 2, true, 1, 1), Row(1, 4, true, 1, 1), Row(2, 1, true, 1, 1)});
  const std::vector<UserId> asked = {UserId(5), UserId(9), UserId(1), UserId(2), UserId(1)};
  const std::vector<UserCounts> expected = {{UserId(5), 1, 0, 0},
                                            {UserId(9), 0, 0, 0},
                                            {UserId(1), 2, 2, 1},
                                            {UserId(2), 0, 1, 0},
                                            {UserId(1), 2, 2, 1}};
  EXPECT_EQ(Must(reader_->Counts(kReadG1, asked)), expected);
}

TEST_P(ProjectionReaderContract, CountsShowDriftAsItIs) {
  EdgeBatch batch = BatchOf(following_, 1);
  batch.counts.push_back({UserId(1), -2});
  CommitAndFollow(*store_, following_, batch);
  EXPECT_EQ(Must(reader_->Counts(kReadG1, std::vector{UserId(1)}))[0].following, -2);
}

TEST_P(ProjectionReaderContract, RelationsHaveOneEntryForEachAskedRepeatsIncluded) {
  Following({Row(1, 2, true, 1, 1), Row(1, 3, true, 1, 1), Row(1, 5, false, 1, 1)});
  Fans({Row(1, 3, true, 1, 1), Row(1, 4, true, 1, 1), Row(1, 5, false, 1, 1)});
  const std::vector<UserId> asked = {UserId(4), UserId(2), UserId(3),         UserId(5),
                                     UserId(2), UserId(1), UserId(kUserIdMax)};
  const std::vector<Directions> expected = {{false, true},  {true, false}, {true, true},
                                            {false, false}, {true, false}, {false, false},
                                            {false, false}};
  EXPECT_EQ(Must(reader_->Relations(kReadG1, UserId(1), asked)), expected);
}

TEST_P(ProjectionReaderContract, AmongGivesThoseInTheListNewestFirst) {
  Following({Row(1, 2, true, 10, 1), Row(1, 3, true, 30, 1), Row(1, 4, true, 30, 1),
             Row(1, 5, false, 99, 1), Row(1, 6, true, 99, 1)});
  const std::vector<UserId> others = {UserId(5), UserId(2), UserId(3),
                                      UserId(4), UserId(7), UserId(2)};
  EXPECT_EQ(Must(reader_->Among(Direction::kFollowing, kG1, UserId(1), others)),
            Entries({{4, 30}, {3, 30}, {2, 10}}));
}

TEST_P(ProjectionReaderContract, AViewAnswersEachQuestionAtItsPositions) {
  Following({Row(1, 10, true, 300, 1), Row(1, 11, true, 200, 1), Row(1, 12, false, 100, 1)});
  Fans({Row(1, 20, true, 500, 1), Row(1, 21, true, 500, 1), Row(1, kUserIdMax, true, 400, 1)});
  const std::vector<ListQuestion> questions = {
      {Direction::kFollowing, {}, 10, {}},
      {Direction::kFans, {}, 2, {}},
      {Direction::kFans, ListedUser{UserId(21), 500}, 10, {}},
      {Direction::kFans, {}, 0, {UserId(20), UserId(30), UserId(kUserIdMax)}}};
  const UserView view = Must(reader_->View(kReadG1, UserId(1), Partition(0), questions));
  ASSERT_EQ(view.answers.size(), 4u);
  EXPECT_EQ(view.answers[0], Entries({{10, 300}, {11, 200}}));
  EXPECT_EQ(view.answers[1], Entries({{21, 500}, {20, 500}}));
  EXPECT_EQ(view.answers[2], Entries({{20, 500}, {kUserIdMax, 400}}));
  EXPECT_EQ(view.answers[3], Entries({{20, 500}, {kUserIdMax, 400}}));
  EXPECT_EQ(view.following, EdgeCount(2));
  EXPECT_EQ(view.fans, EdgeCount(3));
  EXPECT_EQ(view.position.following, Offset(1));
  ASSERT_GE(view.position.fans.size(), 1u);
  EXPECT_EQ(view.position.fans[0], Offset(1));
  EXPECT_EQ(view.position.repair_mark, 0u);
}

TEST_P(ProjectionReaderContract, AViewOfNobodyIsEmptyAtThePositionsOfTheLanes) {
  Fans({});
  const std::vector<ListQuestion> questions = {{Direction::kFans, {}, 10, {}}};
  const UserView view = Must(reader_->View(kReadG1, UserId(9), Partition(1), questions));
  EXPECT_TRUE(view.answers.at(0).empty());
  EXPECT_EQ(view.fans, EdgeCount(0));
  EXPECT_EQ(view.position.following, Offset(0)) << "partition 1 has no lane yet";
  EXPECT_EQ(view.position.fans.at(0), Offset(1));
}

TEST_P(ProjectionReaderContract, WholeListsOfSeveralAreTheirsAlone) {
  Following({Row(1, 10, true, 300, 1), Row(1, 11, true, 400, 1), Row(1, 12, false, 100, 1),
             Row(2, 10, true, 500, 1)});
  Fans({Row(1, 20, true, 500, 1), Row(1, kUserIdMax, true, 500, 1), Row(3, 20, true, 600, 1)});
  const std::vector<WholeLists> asked = {{UserId(1), Partition(0), true, true},
                                         {UserId(2), Partition(1), true, false},
                                         {UserId(3), Partition(0), false, true},
                                         {UserId(9), Partition(0), true, true}};
  const std::vector<WholeView> told = Must(reader_->Lists(kReadG1, asked, {100, 100}));
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0].following, Entries({{11, 400}, {10, 300}}));
  EXPECT_EQ(told[0].fans, Entries({{kUserIdMax, 500}, {20, 500}}));
  EXPECT_EQ(told[1].following, Entries({{10, 500}}));
  EXPECT_FALSE(told[1].fans) << "not asked for";
  EXPECT_EQ(told[2].fans, Entries({{20, 600}}));
  EXPECT_EQ(told[3].following, Entries({}));
  EXPECT_EQ(told[3].fans, Entries({}));
  EXPECT_EQ(told[0].position.following, Offset(1));
  EXPECT_EQ(told[1].position.following, Offset(0)) << "partition 1 has no lane yet";
  EXPECT_EQ(told[2].position.fans.at(0), Offset(1));
  EXPECT_EQ(told[3].position.repair_mark, 0u);
}

TEST_P(ProjectionReaderContract, OfAListThatIsTooLongNothingIsTold) {
  Following({Row(1, 10, true, 300, 1), Row(1, 11, true, 400, 1), Row(2, 12, true, 100, 1)});
  const std::vector<WholeLists> longer = {{UserId(1), Partition(0), true, true}};
  EXPECT_TRUE(Must(reader_->Lists(kReadG1, longer, {2, 100})).at(0).following);
  const WholeView told = Must(reader_->Lists(kReadG1, longer, {1, 100})).at(0);
  EXPECT_FALSE(told.following);
  EXPECT_EQ(told.fans, Entries({}));
}

// An adapter may tell them nevertheless: what is told is right.
TEST_P(ProjectionReaderContract, OfListsThatAreTooMuchTogetherTheFirstAreTold) {
  Following({Row(1, 10, true, 300, 1), Row(3, 11, true, 400, 1), Row(3, 12, true, 100, 1)});
  const std::vector<WholeLists> asked = {{UserId(9), Partition(0), true, false},
                                         {UserId(3), Partition(0), true, false},
                                         {UserId(2), Partition(0), true, false},
                                         {UserId(1), Partition(0), true, false}};
  const std::vector<std::vector<ListedUser>> rows = {
      {}, Entries({{11, 400}, {12, 100}}), {}, Entries({{10, 300}})};
  for (std::size_t together = 1; together <= 4; ++together) {
    SCOPED_TRACE(together);
    const std::vector<WholeView> told = Must(reader_->Lists(kReadG1, asked, {2, together}));
    EXPECT_TRUE(told.at(2).following && told.at(3).following) << "they come first";
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool is_told = told.at(i).following.has_value();
      EXPECT_TRUE(is_told || together < 3) << i;
      EXPECT_EQ(told[i].following.value_or(rows[i]), rows[i]) << i;
    }
  }
}

TEST_P(ProjectionReaderContract, WholeListsOfARewoundLaneSaySo) {
  Following({Row(1, 10, true, 300, 1)});
  Fans({Row(10, 1, true, 300, 1)});
  const std::vector<WholeLists> asked = {{UserId(1), Partition(0), true, true}};
  EXPECT_FALSE(Must(reader_->Lists(kReadG1, asked, {9, 100})).at(0).position.following_rewound);
  ASSERT_TRUE(tables_->NewOperations()->Pause(FollowingLane(0), "on request"));
  ASSERT_TRUE(tables_->NewOperations()->Rewind(FollowingLane(0), Offset(0)));
  const ViewPosition position = Must(reader_->Lists(kReadG1, asked, {9, 100})).at(0).position;
  EXPECT_TRUE(position.following_rewound);
  EXPECT_FALSE(position.fans_rewound);
}

TEST_P(ProjectionReaderContract, AnEdgeIsSeenActiveOrNotWithItsCountAndPosition) {
  Following({Row(1, 10, true, 300, 7), Row(1, 11, false, 200, 9), Row(1, kUserIdMax, true, 1, 1)});
  Fans({Row(10, 1, false, 300, 8)});
  const auto at = [&](Direction list, std::uint64_t user, std::uint64_t other,
                      std::int32_t partition) {
    return Must(reader_->EdgeAt(list, kG1, {UserId(user), UserId(other)}, Partition(partition)));
  };
  constexpr auto kFollowing = Direction::kFollowing;
  constexpr auto kFans = Direction::kFans;
  const auto view = [](std::optional<Edge> edge, std::int64_t count,
                       std::optional<std::int64_t> position) {
    EdgeView expected{edge, EdgeCount(count), std::nullopt};
    if (position) expected.position = Offset(*position);
    return expected;
  };
  EXPECT_EQ(at(kFollowing, 1, 10, 0), view(Edge{true, 300, Version(7)}, 2, 1));
  EXPECT_EQ(at(kFollowing, 1, 11, 0), view(Edge{false, 200, Version(9)}, 2, 1));
  EXPECT_EQ(at(kFollowing, 1, kUserIdMax, 0), view(Edge{true, 1, Version(1)}, 2, 1));
  EXPECT_EQ(at(kFollowing, 1, 12, 0), view(std::nullopt, 2, 1));
  EXPECT_EQ(at(kFans, 10, 1, 0), view(Edge{false, 300, Version(8)}, 0, 1));
  EXPECT_EQ(at(kFans, 1, 10, 1), view(std::nullopt, 0, std::nullopt)) << "no lane there yet";
}

TEST_P(ProjectionReaderContract, NobodyMendedAnythingYet) {
  EXPECT_TRUE(Must(reader_->RepairsAfter(0, 10)).empty());
}

TEST_P(ProjectionReaderContract, LargestQuestionsAreAnswered) {
  std::vector<EdgeRow> rows;
  std::vector<UserId> users;
  for (std::uint64_t i = 1; i <= ProjectionReader::kTargetsMax; ++i) {
    users.push_back(UserId(i + 1));
    rows.push_back(Row(1, i + 1, true, 1, 1));
  }
  Following(rows);
  EXPECT_EQ(Must(reader_->Relations(kReadG1, UserId(1), users)),
            std::vector<Directions>(users.size(), {true, false}));
  EXPECT_EQ(Must(reader_->Among(Direction::kFollowing, kG1, UserId(1), users)).size(),
            users.size());
  EXPECT_EQ(Must(reader_->Counts(kReadG1, users)).size(), users.size());
  EXPECT_EQ(
      Must(reader_->Page(Direction::kFollowing, kG1, UserId(1), {}, ProjectionReader::kPageMax))
          .size(),
      ProjectionReader::kPageMax);
}

TEST_P(ProjectionReaderContract, LanesAreListedByProjectionGenerationPartition) {
  FoldSecondGeneration(*tables_);
  TakeOne(*store_, FollowingLane(0, Generation(2)), kApplying);
  TakeOne(*store_, FollowingLane(1));
  Following({});
  ASSERT_TRUE(store_->SetState(fans_.lane, fans_.fence, LaneState::kHalted, "log_mismatch"));
  const auto lanes = Must(reader_->Lanes());
  ASSERT_EQ(lanes.size(), 4U);
  EXPECT_EQ(lanes[0].lane, FollowingLane(0));
  EXPECT_EQ(lanes[1].lane, FollowingLane(1));
  EXPECT_EQ(lanes[2].lane, FollowingLane(0, Generation(2)));
  EXPECT_EQ(lanes[3].lane, FansLane(0));
  EXPECT_EQ(lanes[0].deciding, kDeciding);
  EXPECT_EQ(lanes[0].owner, "tester");
  EXPECT_EQ(lanes[0].progress, following_.progress);
  EXPECT_EQ(lanes[0].owner_epoch, following_.fence.epoch);
  EXPECT_GT(lanes[0].updated_ms, 0);
  EXPECT_EQ(lanes[3].state, LaneState::kHalted);
  EXPECT_EQ(lanes[3].state_reason, "log_mismatch");
}

TEST_P(ProjectionReaderContract, ParkedRecordsAreListedByPartitionAndOffsetWithEveryLimit) {
  TakenLane second = TakeOne(*store_, FollowingLane(1));
  const auto park = [this](TakenLane& lane, std::vector<std::int64_t> offsets) {
    EdgeBatch batch = BatchOf(lane, 1);
    for (const std::int64_t offset : offsets) {
      batch.parked.push_back({lane.lane, Offset(offset), ParkReason::kInvalidId, "id '0' \\", "e-1",
                              std::string("k\0\xff'", 4), 1234});
    }
    CommitAndFollow(*store_, lane, batch);
  };
  park(following_, {30, 10, 20});
  park(second, {5, 15});
  park(fans_, {1});
  for (std::size_t limit = 1; limit <= 6; ++limit) {
    std::vector<std::pair<std::int32_t, std::int64_t>> seen;
    std::optional<std::pair<Partition, Offset>> after;
    while (seen.size() < 10) {
      const auto page = Must(reader_->Parked(projections::kFollowing, after, limit));
      for (const ParkedRow& row : page) {
        seen.emplace_back(row.lane.partition.value, row.offset.value);
        after = {row.lane.partition, row.offset};
      }
      if (page.size() < limit) break;
    }
    const std::vector<std::pair<std::int32_t, std::int64_t>> expected = {
        {0, 10}, {0, 20}, {0, 30}, {1, 5}, {1, 15}};
    EXPECT_EQ(seen, expected) << limit;
  }
  const auto row = Must(reader_->ParkedAt(projections::kFollowing, Partition(1), Offset(15)));
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->lane, second.lane);
  EXPECT_EQ(row->reason, ParkReason::kInvalidId);
  EXPECT_EQ(row->detail, "id '0' \\");
  EXPECT_EQ(row->event_id, "e-1");
  EXPECT_EQ(row->key, std::string("k\0\xff'", 4));
  EXPECT_EQ(row->appended_ms, 1234);
  EXPECT_FALSE(
      Must(reader_->ParkedAt(projections::kFollowing, Partition(1), Offset(16))).has_value());
}

TEST_P(ProjectionReaderContract, CatalogStartsWithTheFirstGenerations) {
  const Catalog catalog = Must(reader_->ReadCatalog());
  EXPECT_EQ(catalog.read, kReadG1);
  EXPECT_EQ(catalog.shape, (Shape{16, 1}));
  EXPECT_EQ(catalog.slot_map, kFirstSlotMap);
}

TEST_P(ProjectionReaderContract, FirstSlotMapIsTheModulo) {
  EXPECT_EQ(Must(reader_->ReadSlotMap(kFirstSlotMap)), SlotMap::Modulo(1));
  const Deployment read = Must(ReadDeployment(*reader_, {16, 1}));
  EXPECT_EQ(read.placement.slot_map(), kFirstSlotMap);
}

TEST_P(ProjectionReaderContract, ASlotMapThatIsNotThereIsRefusedByName) {
  const auto map = reader_->ReadSlotMap(SlotMapId(7));
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().code, ErrorCode::kRefused);
  EXPECT_NE(map.error().message.find("slot map 7"), std::string::npos);
}

TEST_P(ProjectionReaderContract, AGenerationWithoutTablesIsRefused) {
  const auto page = reader_->Page(Direction::kFans, Generation(99), UserId(1), {}, 10);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kRefused);
  EXPECT_TRUE(reader_->Ping());
}

}  // namespace fanfold::testing
