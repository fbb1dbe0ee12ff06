#include "projector/audit/verifier.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
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

class VerifierTest : public ::testing::TestWithParam<std::int32_t> {
 protected:
  void SetUp() override {
    for (std::uint64_t user = 1; user <= kUsers; ++user) {
      planted_.Follow(user, user % kUsers + 1);
      planted_.Follow(user, 100);
      planted_.Unfollow(user, 100);
      planted_.Follow(user, 200 + user);
    }
    planted_.Fold();
  }

  // Whatever the sections are.
  void ExpectFound(const Lines& expected) {
    for (const std::size_t rows_max : {1U, 2U, 3U, 7U, 1000U}) {
      EXPECT_EQ(Told(Must(planted_.NewVerifier(rows_max).All())), expected) << rows_max;
    }
  }

  PlantedTables planted_{GetParam()};
};

TEST_P(VerifierTest, TablesThatAreTheFoldOfTheTopicsDiffersInNothing) { ExpectFound({}); }

// Each is a connection to every broker.
TEST_P(VerifierTest, AllPartitionsAreReadByOneReader) {
  planted_.ByUser(3, "DELETE FROM following_g1 WHERE user_id = 3 AND target_id = 100");
  (void)Must(planted_.NewVerifier(1).All());
  EXPECT_EQ(planted_.log.readers_opened(), 1);
}

TEST_P(VerifierTest, WrongCountOfEveryUserIsFoundWhereverSectionsEnd) {
  Lines expected;
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    planted_.ByUser(user, "UPDATE following_count_g1 SET n = n + 1 WHERE user_id = ?1", user);
    expected.insert("wrong_count following " + std::to_string(user) + " 0");
  }
  ExpectFound(expected);
}

TEST_P(VerifierTest, MissingRowOfEveryUserIsFoundWhereverSectionsEnd) {
  Lines expected;
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    planted_.ByUser(user, "DELETE FROM following_g1 WHERE user_id = ?1 AND target_id = 100", user);
    expected.insert("missing_row following " + std::to_string(user) + " 100");
  }
  ExpectFound(expected);
}

TEST_P(VerifierTest, CountIsMissedWhereThereAreActiveRowsAlone) {
  planted_.ByUser(3, "DELETE FROM fan_count_g1 WHERE user_id = 3");
  planted_.ByUser(100, "DELETE FROM fan_count_g1 WHERE user_id = 100");  // all of them left
  planted_.ByUser(500, "INSERT INTO fan_count_g1 VALUES (500, 2)");      // has no rows
  planted_.ByUser(501, "INSERT INTO fan_count_g1 VALUES (501, 0)");
  ExpectFound({"wrong_count fans 3 0", "wrong_count fans 500 0"});
  const VerifyReport report = Must(planted_.NewVerifier().All());
  EXPECT_EQ(report.differences.at(0).detail, "count missing, 1 active rows");
  EXPECT_EQ(report.differences.at(1).detail, "count 2, 0 active rows");
}

TEST_P(VerifierTest, WhatTheLanesHaveNotFoldedYetIsNotMissed) {
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    planted_.Unfollow(user, user % kUsers + 1);
    planted_.Follow(user, 300);
  }
  ExpectFound({});
}

TEST_P(VerifierTest, RowOfAnEventThatTheLaneHasNotFoldedYetIsFound) {
  const Outcome later = planted_.Tell(OutcomeKind::kFollowed, 3, 300);
  planted_.ByUser(3, "INSERT INTO following_g1 VALUES (3, 300, 1, ?1, ?2)", later.since_ms,
                  later.position.offset.value + 1);
  planted_.ByUser(3, "UPDATE following_count_g1 SET n = n + 1 WHERE user_id = 3");
  ExpectFound({"extra_row following 3 300"});
}

TEST_P(VerifierTest, LanesThatGoOnBetweenSectionsMakeNoDifference) {
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    planted_.Unfollow(user, user % kUsers + 1);
    planted_.Follow(user, 100);
  }
  std::size_t folded = 4 * kUsers;
  planted_.on_snapshot = [&] {
    if (folded < 6 * kUsers) planted_.FoldUpTo(++folded);
  };
  EXPECT_EQ(Told(Must(planted_.NewVerifier(1).All())), Lines());
  EXPECT_EQ(folded, 6 * kUsers) << "folded on while it was verified";
}

TEST_P(VerifierTest, WhatIsDecidedAndNotPublishedIsKnown) {
  for (std::uint64_t user = 1; user <= kUsers; ++user) planted_.FollowInOutbox(user, 300);
  planted_.Fold();
  ExpectFound({});
  planted_.ByUser(300, "DELETE FROM fans_g1 WHERE user_id = 300 AND fan_id = 5");
  ExpectFound({"missing_row fans 300 5", "wrong_count fans 300 0"});
}

// Fans fold what is in the topic alone.
TEST_P(VerifierTest, WhatIsDecidedWhileItIsVerifiedIsKnown) {
  std::uint64_t object = 300;
  planted_.on_snapshot = [&] {
    if (object == 320) return;
    planted_.FollowInOutbox(1, ++object);
    planted_.Fold();
  };
  EXPECT_EQ(Told(Must(planted_.NewVerifier(1, {projections::kFollowing}).All())), Lines());
}

TEST_P(VerifierTest, WhatNobodyKnowsIsNamedOnceALane) {
  planted_.FollowInOutbox(1, 300);
  planted_.Fold();
  planted_.ByUser(1, "DELETE FROM outbox");
  EXPECT_EQ(Told(Must(planted_.NewVerifier(1, {projections::kFollowing}).All())),
            Lines{"not_in_topics following 0 0"});
  const VerifyReport report = Must(planted_.NewVerifier(1).All());
  EXPECT_EQ(report.found, 1U + static_cast<std::size_t>(GetParam())) << "one a lane";
}

TEST_P(VerifierTest, RowsOfEveryKindThatDiffer) {
  planted_.ByUser(1, "DELETE FROM following_g1 WHERE user_id = 1 AND target_id = 2");
  planted_.ByUser(2, "UPDATE fans_g1 SET active = 0 WHERE user_id = 2");
  planted_.ByUser(3, "UPDATE following_g1 SET since_ms = 1 WHERE user_id = 3 AND target_id = 4");
  planted_.ByUser(4, "UPDATE following_g1 SET version = 99 WHERE user_id = 4 AND target_id = 5");
  planted_.ByUser(900, "INSERT INTO fans_g1 VALUES (900, 5, 1, 5, 1)");
  planted_.ByUser(900, "INSERT INTO fan_count_g1 VALUES (900, 1)");
  ExpectFound({"missing_row following 1 2", "wrong_count following 1 0", "wrong_state fans 2 1",
               "wrong_count fans 2 0", "wrong_since following 3 4", "wrong_version following 4 5",
               "extra_row fans 900 5"});
}

TEST_P(VerifierTest, ChosenUsersAloneAreLookedAt) {
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    planted_.ByUser(user, "UPDATE fan_count_g1 SET n = n + 1 WHERE user_id = ?1", user);
    planted_.ByUser(user, "DELETE FROM following_g1 WHERE user_id = ?1 AND target_id = 100", user);
  }
  const VerifyReport report = Must(planted_.NewVerifier().Of({UserId(2), UserId(7), UserId(4000)}));
  EXPECT_EQ(Told(report), (Lines{"wrong_count fans 2 0", "missing_row following 2 100",
                                 "wrong_count fans 7 0", "missing_row following 7 100"}));
}

// At one moment, and no rows of others: reading a page of them for each user made a sample dearer
// than the whole.
TEST(VerifierOfChosenUsers, CostTheirOwnRowsBesideTheTopics) {
  PlantedTables planted;
  for (std::uint64_t user = 1; user <= 500; ++user) planted.Follow(user, user + 1);
  planted.Fold();
  ASSERT_TRUE(planted.NewVerifier().Of({UserId(7), UserId(70), UserId(300)}));
  constexpr std::int64_t kOfAUser = 4;  // a row and a count in both tables
  EXPECT_EQ(planted.pace.read, 500 + 3 * kOfAUser);
  EXPECT_EQ(planted.snapshots, 1);
}

TEST_P(VerifierTest, PaceStopsIt) {
  planted_.pace.stop_at = 10;
  const auto report = planted_.NewVerifier().All();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kTimeout);
}

INSTANTIATE_TEST_SUITE_P(Shards, VerifierTest, ::testing::Values(1, 4));

TEST(VerifierOfTwoShards, RowOfAUserWhoLivesElsewhereIsMisplaced) {
  PlantedTables planted(2);
  planted.Follow(1, 2);
  planted.Fold();
  const Shard other(1 - planted.placement.ShardOf(UserId(1)).value);
  planted.By(other, "INSERT INTO following_g1 VALUES (1, 2, 1, 100, 1)");
  planted.By(other, "INSERT INTO following_count_g1 VALUES (1, 1)");
  EXPECT_EQ(Told(Must(planted.NewVerifier().All())), Lines{"misplaced_row following 1 2"});
}

TEST(VerifierOfManyRows, PagesOfATableAreReadToTheEnd) {
  PlantedTables planted;
  constexpr auto kRows = static_cast<std::uint64_t>(TableSnapshot::kRowsMax);
  for (std::uint64_t fan = 1; fan <= kRows + 1; ++fan) planted.Follow(fan, 1'000'000);
  planted.Fold();
  EXPECT_EQ(Told(Must(planted.NewVerifier().All())), Lines());
  planted.By(Shard(0), "UPDATE fans_g1 SET since_ms = 1 WHERE fan_id > ?1", kRows);
  EXPECT_EQ(Told(Must(planted.NewVerifier().All())), Lines{"wrong_since fans 1000000 10001"});
}

}  // namespace
}  // namespace fanfold
