// What every TableSnapshot shows. An adapter's test includes this and instantiates
// TableSnapshotContract with its TablesFactory.
#pragma once

#include <vector>

#include "common/ports/edge_kind.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class TableSnapshotContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  TableSnapshotContract()
      : tables_(GetParam().make()),
        store_(tables_->NewStore()),
        lane_(TakeOne(*store_, FollowingLane(0))) {}

  void Write(std::vector<EdgeRow> rows) {
    CommitAndFollow(*store_, lane_, BatchOf(lane_, 1, std::move(rows)));
  }

  template <class Row>
  static std::vector<RowKey> KeysOf(const std::vector<Row>& rows) {
    std::vector<RowKey> keys;
    for (const Row& row : rows) keys.push_back(row.key);
    return keys;
  }

  static constexpr UserId kEverybody{kUserIdMax};

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
  TakenLane lane_;
};

TEST_P(TableSnapshotContract, NothingIsOfUsersBehindTheLastOne) {
  Write({Row(1, 2, true, 20, 1), Row(1, 9, true, 30, 1), Row(2, 1, true, 40, 1),
         Row(3, 1, true, 50, 1)});
  const auto snapshot = tables_->NewSnapshot();
  const auto rows = [&](std::optional<EdgeKey> after, std::uint64_t last) {
    return KeysOf(Must(snapshot->Rows(projections::kFollowing, kG1, after, UserId(last), 10)));
  };
  const EdgeKey a{UserId(1), UserId(2)};
  const EdgeKey b{UserId(1), UserId(9)};
  const EdgeKey c{UserId(2), UserId(1)};
  EXPECT_EQ(rows({}, 1), (std::vector{a, b}));
  EXPECT_EQ(rows(a, 2), (std::vector{b, c}));
  EXPECT_EQ(rows(EdgeKey{UserId(1), UserId(kUserIdMax)}, 2), std::vector{c});
  EXPECT_EQ(rows(a, 1), std::vector{b});
  const auto counts = [&](std::optional<UserId> after, std::uint64_t last) {
    return Must(snapshot->Counts(projections::kFollowing, kG1, after, UserId(last), 10));
  };
  EXPECT_EQ(counts({}, 2).size(), 2U);
  EXPECT_EQ(counts(UserId(1), 2), (std::vector{UserCount{UserId(2), EdgeCount(1)}}));
  EXPECT_TRUE(counts(UserId(2), 2).empty());
}

TEST_P(TableSnapshotContract, RowsComeByKeyWithEveryLimit) {
  const std::vector<EdgeRow> written = {Row(1, 2, true, 20, 1), Row(1, 9, false, 30, 1),
                                        Row(2, 1, true, 40, 1), Row(2, kUserIdMax, true, 50, 1),
                                        Row(3, 1, true, 60, 1)};
  Write(written);
  for (std::size_t limit = 1; limit <= written.size() + 1; ++limit) {
    const auto snapshot = tables_->NewSnapshot();
    std::vector<RowImage> all;
    std::optional<RowKey> after;
    while (true) {
      const auto page =
          Must(snapshot->Rows(projections::kFollowing, kG1, after, kEverybody, limit));
      all.insert(all.end(), page.begin(), page.end());
      if (page.size() < limit) break;
      after = page.back().key;
    }
    ASSERT_EQ(KeysOf(all), KeysOf(written)) << limit;
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(EdgeOf(all[i].state), written[i].edge) << i;
  }
}

TEST_P(TableSnapshotContract, CountsComeByUserWithEveryLimit) {
  Write({Row(1, 2, true, 20, 1), Row(2, 3, true, 20, 1), Row(2, 4, true, 20, 1)});
  const std::vector<UserCount> expected = {{UserId(1), EdgeCount(1)}, {UserId(2), EdgeCount(2)}};
  for (std::size_t limit = 1; limit <= 3; ++limit) {
    const auto snapshot = tables_->NewSnapshot();
    std::vector<UserCount> all;
    std::optional<UserId> after;
    while (true) {
      const auto page =
          Must(snapshot->Counts(projections::kFollowing, kG1, after, kEverybody, limit));
      all.insert(all.end(), page.begin(), page.end());
      if (page.size() < limit) break;
      after = page.back().user;
    }
    EXPECT_EQ(all, expected) << limit;
  }
}

TEST_P(TableSnapshotContract, RowsOfAUserAreTalliedWithEveryLimit) {
  Write({Row(1, 8, true, 20, 1), Row(2, 1, true, 90, 1), Row(2, 3, false, 80, 1),
         Row(2, 4, true, 70, 1), Row(2, kUserIdMax, true, 60, 1), Row(3, 9, true, 20, 1)});
  const auto snapshot = tables_->NewSnapshot();
  for (std::size_t limit = 1; limit <= 5; ++limit) {
    RowTally all;
    RowTally piece;
    do {
      piece = Must(snapshot->Tally(projections::kFollowing, kG1, UserId(2), all.last_other, limit));
      if (piece.rows == 0) break;
      ASSERT_LE(piece.rows, limit);
      all = {all.rows + piece.rows, all.active + piece.active, piece.last_other};
    } while (piece.rows == limit);
    EXPECT_EQ(all, (RowTally{4, 3, UserId(kUserIdMax)})) << limit;
  }
  EXPECT_EQ(Must(snapshot->Tally(projections::kFollowing, kG1, UserId(7), UserId(0), 5)),
            RowTally());
}

TEST_P(TableSnapshotContract, LastRepairIsThatOfTheMoment) {
  const auto before = tables_->NewSnapshot();
  EXPECT_EQ(Must(before->LastRepair()), 0U);
  RepairScope scope{projections::kFollowing, kG1, {}, {{UserId(1), UserId(2)}}, {}, "tested"};
  const RepairDone done =
      Must(tables_->NewOperations()->Repair(scope, {0, {RowState()}, {}}, [](const RepairView&) {
        return Result<std::vector<RowToBe>>({{StateOf(Edge{true, 20, Version(3)}), {}}});
      }));
  EXPECT_EQ(Must(before->LastRepair()), 0U);
  EXPECT_EQ(Must(tables_->NewSnapshot()->LastRepair()), done.mark);
}

TEST_P(TableSnapshotContract, EverythingIsOfTheMomentOfTheFirstCall) {
  Write({Row(1, 2, true, 20, 1)});
  const auto snapshot = tables_->NewSnapshot();
  const std::vector<LaneStatus> before = Must(snapshot->Lanes());
  Write({Row(1, 3, true, 20, 2)});
  EXPECT_EQ(Must(snapshot->Rows(projections::kFollowing, kG1, {}, kEverybody, 10)).size(), 1U);
  EXPECT_EQ(Must(snapshot->Counts(projections::kFollowing, kG1, {}, kEverybody, 10)).at(0).count,
            EdgeCount(1));
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(Must(snapshot->Lanes()).at(0).progress, before[0].progress);
  EXPECT_EQ(
      Must(tables_->NewSnapshot()->Rows(projections::kFollowing, kG1, {}, kEverybody, 10)).size(),
      2U);
}

TEST_P(TableSnapshotContract, OutboxIsShownByPartition) {
  EdgeBatch batch = BatchOf(lane_, 3);
  batch.outbox.push_back({Partition(0), kG1, Offset(0), Offset(3), "decided"});
  CommitAndFollow(*store_, lane_, batch);
  const auto outbox = Must(tables_->NewSnapshot()->Outbox(projections::kFollowing, kG1));
  ASSERT_EQ(outbox.size(), 1U);
  EXPECT_EQ(outbox[0].next, Offset(3));
  EXPECT_EQ(outbox[0].outcomes, "decided");
}

TEST_P(TableSnapshotContract, GenerationWithoutTablesIsRefused) {
  const auto rows =
      tables_->NewSnapshot()->Rows(projections::kFollowing, Generation(9), {}, kEverybody, 10);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::kRefused);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TableSnapshotContract);

}  // namespace fanfold::testing
