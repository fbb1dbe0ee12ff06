#include "projector/audit/repairer.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/projector/audit/planted_tables.h"

namespace fanfold {
namespace {

using testing::Must;
using testing::PlantedTables;
using testing::Told;
using Lines = std::set<std::string>;

constexpr std::uint64_t kUsers = 9;

// Refuses so many times, as a database does that chose another transaction.
class Conflicting final : public TableOperations {
 public:
  Conflicting(std::unique_ptr<TableOperations> tables, int& left)
      : tables_(std::move(tables)), left_(left) {}

  Status Pause(const LaneId& lane, const std::string& reason) override {
    return tables_->Pause(lane, reason);
  }
  Status Resume(const LaneId& lane) override { return tables_->Resume(lane); }
  Status Rewind(const LaneId& lane, Offset to) override { return tables_->Rewind(lane, to); }
  Status DropParked(ProjectionKind projection, Partition partition, Offset offset) override {
    return tables_->DropParked(projection, partition, offset);
  }
  Result<RepairDone> Repair(const RepairScope& scope, const FoldAgain& fold) override {
    if (left_-- > 0) return Fail(ErrorCode::kConflict, "another one was chosen");
    return tables_->Repair(scope, fold);
  }

 private:
  std::unique_ptr<TableOperations> tables_;
  int& left_;
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
    Repairer repairer(planted_.Ports(),
                      [this](Shard shard) -> Result<std::unique_ptr<TableOperations>> {
                        return std::make_unique<Conflicting>(Must(planted_.OpenOperations(shard)),
                                                             conflicts_);
                      },
                      {});
    return repairer.Mend(found.differences, "by the test");
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

TEST_F(RepairerTest, MoreThanOneTransactionTakesIsMendedInPieces) {
  constexpr auto kMore = TableOperations::kRepairEdgesMax + 1;
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
