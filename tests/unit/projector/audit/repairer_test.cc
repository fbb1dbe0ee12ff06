#include "projector/audit/repairer.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/projector/audit/planted_tables.h"

namespace fanfold {

using namespace projector;
namespace {

using testing::kUsers;
using testing::Must;
using testing::PlantedTables;
using testing::Told;
using Lines = std::set<std::string>;

constexpr std::size_t kTallyRows = 2;

// Refuses so many times, as a database does that chose another transaction; before each repair
// something may happen beside it.
class Conflicting final : public TableOperations {
 public:
  Conflicting(std::unique_ptr<TableOperations> tables, int& left,
              const std::function<void()>& before)
      : tables_(std::move(tables)), left_(left), before_(before) {}

  Status Pause(const LaneId& lane, const std::string& reason) override {
    return tables_->Pause(lane, reason);
  }
  Status Resume(const LaneId& lane) override { return tables_->Resume(lane); }
  Status Rewind(const LaneId& lane, Offset to) override { return tables_->Rewind(lane, to); }
  Status DropParked(Projection projection, Partition partition, Offset offset) override {
    return tables_->DropParked(projection, partition, offset);
  }
  Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                            const FoldAgain& fold) override {
    if (left_-- > 0) return Fail(ErrorCode::kConflict, "another one was chosen");
    if (before_) before_();
    return tables_->Repair(scope, base, fold);
  }

 private:
  std::unique_ptr<TableOperations> tables_;
  int& left_;
  const std::function<void()>& before_;
};

class RepairerTest : public ::testing::Test {
 protected:
  RepairerTest() {
    for (std::uint64_t user = 1; user <= kUsers; ++user) {
      planted_.Follow(user, user % kUsers + 1);
      planted_.Follow(user, 100);
      planted_.Unfollow(user, 100);
    }
    planted_.Fold();
  }

  Result<RepairReport> Mend(const VerifyReport& found) {
    Repairer repairer(
        planted_.Ports(),
        [this](Shard shard) -> Result<std::unique_ptr<TableOperations>> {
          return std::make_unique<Conflicting>(Must(planted_.OpenOperations(shard)), conflicts_,
                                               before_repair_);
        },
        {}, kTallyRows);
    return repairer.Mend(found.differences, "by the test");
  }
  // Before the first repair from now on, after what it starts from was read.
  void Meanwhile(const std::function<void()>& work) {
    before_repair_ = [work, done = false]() mutable {
      if (!std::exchange(done, true)) work();
    };
  }
  VerifyReport Verified() { return Must(planted_.NewVerifier().All()); }

  // What the owner of the user's lane of a projection would notice.
  std::int64_t EpochOf(std::string_view projection, std::uint64_t user) {
    const Partition partition = planted_.placement.PartitionOf(UserId(user));
    return planted_.EpochOf(planted_.placement.ShardOf(partition), projection, partition);
  }
  std::int64_t SumOfEpochs() {
    std::int64_t sum = 0;
    for (std::int32_t s = 0; s < planted_.placement.shards(); ++s) {
      sum += planted_.Ask(Shard(s), "SELECT SUM(owner_epoch) FROM progress");
    }
    return sum;
  }

  PlantedTables planted_{2};
  int conflicts_ = 0;
  std::function<void()> before_repair_;
};

TEST_F(RepairerTest, WhatVerifyFindsIsMended) {
  planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1");
  planted_.ByUser(2, "UPDATE fans_g1 SET active = 0 WHERE user_id = 2");
  planted_.ByUser(3, "UPDATE following_g1 SET version = 99 WHERE user_id = 3 AND target_id = 4");
  planted_.ByUser(900, "INSERT INTO fans_g1 VALUES (900, 5, 1, 5, 1)");
  planted_.ByUser(4, "DELETE FROM fan_count_g1 WHERE user_id = 4");
  const RepairReport mended = Must(Mend(Verified()));
  EXPECT_EQ(Told(Verified()), Lines());
  EXPECT_EQ(mended.rows, 5U);
  EXPECT_EQ(mended.counts, 1U) << "the others are right once the rows are";
  EXPECT_EQ(mended.users, (std::set{UserId(1), UserId(2), UserId(3), UserId(4), UserId(900)}));
}

TEST_F(RepairerTest, LanesWhoseOwnersRememberTheRowsAreFencedAndNoOthers) {
  planted_.ByUser(1, "UPDATE following_g1 SET since_ms = 1 WHERE user_id = 1 AND target_id = 2");
  ASSERT_TRUE(Mend(Verified()));
  EXPECT_EQ(EpochOf("following", 1), 1);
  EXPECT_EQ(SumOfEpochs(), 1);
}

TEST_F(RepairerTest, CountAloneFencesTheLaneThatDecidesByIt) {
  planted_.ByUser(1, "UPDATE following_count_g1 SET n = 77 WHERE user_id = 1");
  ASSERT_TRUE(Mend(Verified()));
  EXPECT_EQ(EpochOf("following", 1), 1);
  EXPECT_EQ(SumOfEpochs(), 1);
  // Nobody remembers how many fans somebody has.
  planted_.ByUser(1, "UPDATE fan_count_g1 SET n = 77 WHERE user_id = 1");
  ASSERT_TRUE(Mend(Verified()));
  EXPECT_EQ(SumOfEpochs(), 1);
  EXPECT_EQ(Told(Verified()), Lines());
}

// The lanes of fans there know the edge and could fold it.
TEST_F(RepairerTest, MisplacedRowGoesAndItsTwinStays) {
  const Shard home = planted_.placement.ShardOf(UserId(2));
  const Shard other(1 - home.value);
  planted_.By(other, "INSERT INTO fans_g1 VALUES (2, 1, 1, 100, 1)");
  planted_.By(other, "INSERT INTO fan_count_g1 VALUES (2, 1)");
  ASSERT_TRUE(Mend(Verified()));
  const std::string_view rows = "SELECT COUNT(*) FROM fans_g1 WHERE user_id = 2";
  EXPECT_EQ(planted_.Ask(other, rows), 0);
  EXPECT_EQ(planted_.Ask(home, rows), 1);
  EXPECT_EQ(Told(Verified()), Lines());
}

TEST_F(RepairerTest, WhatTheLanesFoldMeanwhileIsReadOnAndFolded) {
  planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1 AND target_id = 100");
  const VerifyReport found = Verified();
  planted_.on_operations = [&] {
    planted_.on_operations = nullptr;
    planted_.Follow(1, 100);
    planted_.Fold();
    planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1 AND target_id = 100");
  };
  ASSERT_TRUE(Mend(found));
  EXPECT_EQ(Told(Verified()), Lines());
  EXPECT_EQ(planted_.Ask(planted_.placement.ShardOf(UserId(1)),
                         "SELECT active FROM following_g1 WHERE user_id = 1 AND target_id = 100"),
            1);
}

TEST_F(RepairerTest, WhatIsDecidedAndNotPublishedIsFoldedToo) {
  planted_.FollowInOutbox(1, 300);
  planted_.Fold();
  planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1 AND target_id = 300");
  ASSERT_TRUE(Mend(Verified()));
  EXPECT_EQ(Told(Verified()), Lines());
}

TEST_F(RepairerTest, WhatNobodyKnowsIsLeft) {
  planted_.FollowInOutbox(1, 300);
  planted_.Fold();
  planted_.ByUser(1, "DELETE FROM outbox");
  const VerifyReport found = Verified();
  const RepairReport mended = Must(Mend(found));
  EXPECT_EQ(mended.rows + mended.counts, 0U);
  EXPECT_EQ(Told(Verified()), Told(found));
}

TEST_F(RepairerTest, ConflictIsTriedAgainSoManyTimes) {
  planted_.ByUser(1, "UPDATE fan_count_g1 SET n = 77 WHERE user_id = 1");
  const VerifyReport found = Verified();
  conflicts_ = Repairer::kTriesMax;
  const auto refused = Mend(found);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  conflicts_ = Repairer::kTriesMax - 1;
  EXPECT_TRUE(Mend(found));
  EXPECT_EQ(Told(Verified()), Lines());
}

// The lanes wait for a repair, and rows are counted before it, however many there are.
TEST_F(RepairerTest, CountGoesOnByWhatTheLanesFoldedSinceItWasTaken) {
  for (std::uint64_t fan = 500; fan < 507; ++fan) planted_.Follow(fan, 1);
  planted_.Unfollow(503, 1);
  planted_.Fold();
  planted_.ByUser(1, "UPDATE fan_count_g1 SET n = 77 WHERE user_id = 1");
  planted_.ByUser(100, "DELETE FROM fan_count_g1 WHERE user_id = 100");
  const VerifyReport found = Verified();
  Meanwhile([&] {
    for (std::uint64_t fan = 600; fan < 605; ++fan) planted_.Follow(fan, 1);
    planted_.Unfollow(500, 1);
    planted_.Fold();
  });
  ASSERT_EQ(Must(Mend(found)).counts, 1U) << "a user without fans needs no count";
  EXPECT_EQ(Told(Verified()), Lines());
  EXPECT_EQ(planted_.Ask(planted_.placement.ShardOf(UserId(1)),
                         "SELECT n FROM fan_count_g1 WHERE user_id = 1"),
            11);
}

TEST_F(RepairerTest, CountThatAnotherRepairMendedSinceItWasTakenIsTakenAgain) {
  planted_.ByUser(1, "UPDATE fan_count_g1 SET n = 77 WHERE user_id = 1");
  const VerifyReport found = Verified();
  Meanwhile([&] { ASSERT_EQ(Must(Mend(found)).counts, 1U); });
  EXPECT_EQ(Must(Mend(found)).counts, 0U);
  EXPECT_EQ(Told(Verified()), Lines());
}

// Its lane remembers the row that is gone: it counts one less for what was not there.
TEST_F(RepairerTest, CountOfARowThatMovedSinceItWasTakenIsTakenAgain) {
  planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1 AND target_id = 2");
  const VerifyReport found = Verified();
  Meanwhile([&] {
    planted_.Unfollow(1, 2);
    planted_.Fold();
  });
  EXPECT_EQ(Must(Mend(found)).counts, 0U) << "nobody is told a wrong one meanwhile";
  EXPECT_EQ(Told(Verified()), Lines());
}

// As if it had been deleted just after the repair.
TEST_F(RepairerTest, RowDeletedByHandSinceItWasCountedIsLeftToTheNextRepair) {
  planted_.ByUser(1, "UPDATE following_count_g1 SET n = 77 WHERE user_id = 1");
  const VerifyReport found = Verified();
  Meanwhile([&] { planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1"); });
  EXPECT_EQ(Must(Mend(found)).counts, 1U);
  const VerifyReport left = Verified();
  EXPECT_GT(left.found, 0U);
  ASSERT_TRUE(Mend(left));
  EXPECT_EQ(Told(Verified()), Lines());
}

// The rows of a user of millions take seconds to count.
TEST_F(RepairerTest, UserWhoseRowAndCountAreWrongIsCountedOnce) {
  planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1 AND target_id = 2");
  planted_.ByUser(1, "UPDATE following_count_g1 SET n = 77 WHERE user_id = 1");
  const VerifyReport found = Verified();
  ASSERT_GE(found.found, 2U);
  int repairs = 0;
  before_repair_ = [&] { ++repairs; };
  const RepairReport mended = Must(Mend(found));
  EXPECT_EQ(mended.rows, 1U);
  EXPECT_EQ(mended.counts, 1U);
  EXPECT_EQ(repairs, 1);
  EXPECT_EQ(Told(Verified()), Lines());
}

TEST_F(RepairerTest, WhatNeverStaysIsGivenUp) {
  planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1 AND target_id = 2");
  const VerifyReport found = Verified();
  int repairs = 0;
  before_repair_ = [&] {
    ++repairs;
    repairs % 2 == 0 ? planted_.Follow(1, 2) : planted_.Unfollow(1, 2);
    planted_.Fold();
  };
  const auto given_up = Mend(found);
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, ErrorCode::kConflict);
  EXPECT_EQ(repairs, Repairer::kTriesMax);
}

TEST_F(RepairerTest, CountingEndsWhenThePaceSaysStop) {
  planted_.ByUser(1, "UPDATE fan_count_g1 SET n = 77 WHERE user_id = 1");
  const VerifyReport found = Verified();
  planted_.on_operations = [&] { planted_.pace.stop_at = 0; };
  const auto stopped = Mend(found);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kTimeout);
}

TEST_F(RepairerTest, MoreThanOneTransactionTakesIsMendedInPieces) {
  constexpr auto kMore = TableOperations::kRepairRowsMax + 1;
  for (std::uint64_t fan = 0; fan < kMore; ++fan) planted_.Follow(1000 + fan, 7);
  planted_.Fold();
  for (std::int32_t s = 0; s < 2; ++s) {
    planted_.By(Shard(s), "DELETE FROM fans_g1 WHERE user_id = 7");
    planted_.By(Shard(s), "UPDATE following_count_g1 SET n = n + 1 WHERE user_id >= 1000");
  }
  const RepairReport mended = Must(Mend(Verified()));
  EXPECT_EQ(mended.rows, kMore + 1);
  EXPECT_GE(mended.counts, kMore);
  EXPECT_EQ(Told(Verified()), Lines());
}

}  // namespace
}  // namespace fanfold
