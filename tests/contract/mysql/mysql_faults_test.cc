// What the server does to its clients: killed connections, locks held too long, deadlocks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "common/mysql/bundle.h"
#include "tests/contract/mysql/mysql_tables.h"

namespace fanfold::testing {
namespace {

class MysqlFaults : public ::testing::Test {
 protected:
  MysqlFaults() : store_(tables_.NewStore()), beside_(tables_.Connect()) {}

  template <class Work>
  void Beside(const Work& work) {
    const Status status = beside_->Run(work);
    ASSERT_TRUE(status) << status.error().message;
  }

  // Kills every connection to the schema but the one beside.
  int KillAll() {
    std::vector<std::uint64_t> ids;
    Beside([&] {
      auto rows = beside_->Query(
          "SELECT id FROM information_schema.PROCESSLIST WHERE db = DATABASE() AND id <> "
          "CONNECTION_ID()");
      while (rows.Next()) ids.push_back(rows.U64(0));
      for (const std::uint64_t id : ids) beside_->Execute(fmt::format("KILL {}", id));
    });
    return static_cast<int>(ids.size());
  }

  bool WaitsForLanes() {
    auto looking = tables_.Connect();
    return Must(looking->Run([&] {
      return looking
          ->Query(
              "SELECT 1 FROM information_schema.PROCESSLIST WHERE db = DATABASE() AND info LIKE "
              "'SELECT projection%FOR UPDATE'")
          .Next();
    }));
  }

  MysqlTables tables_;
  std::unique_ptr<LaneStore> store_;
  std::unique_ptr<mysql::Connection> beside_;
};

TEST_F(MysqlFaults, ConnectionKilledBetweenCallsIsOpenedAgain) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  ASSERT_EQ(KillAll(), 1);
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, true, 5, 1)}));
  ASSERT_EQ(KillAll(), 1);
  EXPECT_TRUE(LoadedEdge(*store_, 1, 2).active);
  ASSERT_EQ(KillAll(), 1);
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).progress.next_offset, Offset(1));
}

TEST_F(MysqlFaults, ABatchAboveThePacketLimitIsNeverTakenAndItsSessionStays) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  std::size_t limit = 0;
  Beside([&] {
    auto rows = beside_->Query("SELECT @@max_allowed_packet");
    ASSERT_TRUE(rows.Next());
    limit = rows.U64(0);
  });
  EdgeBatch batch = BatchOf(lane, 1, {Row(1, 2, true, 5, 1)});
  batch.outbox.push_back({Partition(0), kG1, Offset(0), Offset(1), std::string(limit, 'x')});
  EXPECT_EQ(CodeName(store_->Commit(batch)), ToString(ErrorCode::kInvalidArgument));
  EXPECT_FALSE(LoadedEdge(*store_, 1, 2).active);
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, true, 5, 1)}));
  const std::string longest = "SELECT '" + std::string(limit - 11, 'x') + "'";
  Beside([&] { EXPECT_TRUE(beside_->Query(longest).Next()); });
  EXPECT_EQ(CodeName(beside_->Run([&] { (void)beside_->Query(longest + " "); })),
            ToString(ErrorCode::kInvalidArgument));
  EXPECT_EQ(beside_->sessions_opened(), 1U);
}

TEST_F(MysqlFaults, OfStatementsSentTogetherNoneIsCarriedOutAfterOneThatFails) {
  const std::string count = "INSERT INTO following_count_g1 (user_id, n) VALUES ({}, 1)";
  auto connection = tables_.Connect();
  const Status status = connection->Run([&] {
    mysql::Transaction transaction(*connection);
    mysql::Bundle bundle(*connection);
    for (const int user : {1, 1, 2}) bundle.Add(fmt::format(fmt::runtime(count), user));
    bundle.Send();
    transaction.Commit();
  });
  EXPECT_FALSE(status) << "a row that is there";
  const Status later = connection->Run([&] {
    mysql::Transaction transaction(*connection);
    transaction.Commit();
  });
  EXPECT_TRUE(later);
  EXPECT_EQ(LoadedCount(*store_, 1), 0);
  EXPECT_EQ(LoadedCount(*store_, 2), 0);
}

TEST_F(MysqlFaults, StatementsOfAnySizeAreCarriedOutInOrder) {
  auto connection = tables_.Connect();
  const std::string words(100'000, ' ');
  ASSERT_TRUE(connection->Run([&] {
    mysql::Transaction transaction(*connection);
    mysql::Bundle bundle(*connection);
    bundle.Add("INSERT INTO following_count_g1 (user_id, n) VALUES (1, 3)");
    bundle.Add("UPDATE following_count_g1 SET n = n * 10" + words);
    for (int i = 0; i < 3; ++i) {
      bundle.Add("UPDATE following_count_g1 SET n = n + 1" + words.substr(0, 40'000));
    }
    bundle.Add("UPDATE following_count_g1 SET n = n * 10");
    bundle.Send();
    transaction.Commit();
  }));
  EXPECT_EQ(LoadedCount(*store_, 1), 330);
}

TEST_F(MysqlFaults, ATransactionWhoseFirstStatementFailsHoldsNothing) {
  Beside([&] {
    beside_->Execute("INSERT INTO following_count_g1 (user_id, n) VALUES (1, 1), (2, 1)");
    const mysql::Transaction holder(*beside_,
                                    "UPDATE following_count_g1 SET n = 7 WHERE user_id = 2");
    EXPECT_EQ(holder.matched(), 1U);
    auto connection = tables_.Connect();
    const Status status = connection->Run([&] {
      const mysql::Transaction waits(*connection, "UPDATE following_count_g1 SET n = n + 1");
    });
    EXPECT_EQ(CodeName(status), ToString(ErrorCode::kConflict));
    EXPECT_EQ(connection->sessions_opened(), 1U);
    beside_->Execute("UPDATE following_count_g1 SET n = 8 WHERE user_id = 1");
  });
}

TEST_F(MysqlFaults, ConnectionKilledInsideATransactionFailsItWhole) {
  auto victim = tables_.Connect();
  const Status status = victim->Run([&] {
    mysql::Transaction transaction(*victim);
    victim->Execute("INSERT INTO following_count_g1 (user_id, n) VALUES (1, 1)");
    ASSERT_EQ(KillAll(), 1);
    victim->Execute("INSERT INTO following_count_g1 (user_id, n) VALUES (2, 1)");
    transaction.Commit();
  });
  EXPECT_EQ(CodeName(status), ToString(ErrorCode::kUnavailable));
  EXPECT_EQ(LoadedCount(*store_, 1), 0);
  EXPECT_EQ(LoadedCount(*store_, 2), 0);
  EXPECT_EQ(victim->sessions_opened(), 1U);
  EXPECT_TRUE(victim->Run([&] { victim->Execute("DO 1"); }));
  EXPECT_EQ(victim->sessions_opened(), 2U);
}

TEST_F(MysqlFaults, ConnectionLostAtCommitIsUnknown) {
  auto victim = tables_.Connect();
  const Status status = victim->Run([&] {
    mysql::Transaction transaction(*victim);
    victim->Execute("INSERT INTO following_count_g1 (user_id, n) VALUES (1, 1)");
    ASSERT_EQ(KillAll(), 1);
    transaction.Commit();
  });
  EXPECT_EQ(CodeName(status), ToString(ErrorCode::kUnknown));
}

TEST_F(MysqlFaults, TakingEndsAPredecessorsTransactionThatStands) {
  const TakenLane old = TakeOne(*store_, FollowingLane(0));
  auto predecessor = tables_.Connect();
  const Status late = predecessor->Run([&] {
    mysql::Transaction transaction(*predecessor);
    // As a batch's first statement does.
    predecessor->Execute(
        "UPDATE progress SET next_offset = 7, owner_connection = CONNECTION_ID() WHERE "
        "`partition` = 0");
    const TakenLane now = TakeOne(*store_, FollowingLane(0));
    EXPECT_EQ(now.progress.next_offset, Offset(0));
    EXPECT_EQ(now.fence.epoch, old.fence.epoch + 1);
    transaction.Commit();
  });
  EXPECT_FALSE(late);
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).progress.next_offset, Offset(0));
}

TEST_F(MysqlFaults, LaneHeldByAStrangerIsAConflict) {
  TakeOne(*store_, FollowingLane(0));
  Beside([&] {
    mysql::Transaction transaction(*beside_);
    beside_->Execute("UPDATE progress SET next_offset = 7 WHERE `partition` = 0");
    const auto taken = store_->TakeFences(std::vector{FollowingLane(0)}, kDeciding, "tester");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::kConflict);
  });
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).progress.next_offset, Offset(0));
}

// As a repair does that waits for the log, or a lane that was written by a connection of an earlier
// start of the server: the row names somebody who has nothing to do with it.
TEST_F(MysqlFaults, SessionThatHoldsNothingOutlivesWhoeverWaits) {
  TakeOne(*store_, FollowingLane(0));
  auto last_writer = tables_.Connect();
  ASSERT_TRUE(last_writer->Run([&] {
    last_writer->Execute(
        "UPDATE progress SET next_offset = 7, owner_connection = CONNECTION_ID() WHERE "
        "`partition` = 0");
  }));
  Beside([&] {
    mysql::Transaction repair(*beside_);
    (void)beside_->Query("SELECT 1 FROM progress FOR UPDATE");
    EXPECT_TRUE(last_writer->Run([&] {
      mysql::Transaction transaction(*last_writer);
      last_writer->Execute("INSERT INTO following_count_g1 (user_id, n) VALUES (1, 1)");
      const auto taken = store_->TakeFences(std::vector{FollowingLane(0)}, kDeciding, "tester");
      ASSERT_FALSE(taken);
      EXPECT_EQ(taken.error().code, ErrorCode::kConflict);
      transaction.Commit();
    }));
  });
  EXPECT_EQ(TakeOne(*store_, FollowingLane(0)).progress.next_offset, Offset(7));
  EXPECT_EQ(LoadedCount(*store_, 1), 1);
}

TEST_F(MysqlFaults, LockWaitTimeoutRollsTheWholeBatchBack) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(9, 1, true, 5, 1)}));
  EdgeBatch batch = BatchOf(lane, 1, {Row(1, 2, true, 5, 2), Row(9, 2, true, 5, 2)});
  Beside([&] {
    mysql::Transaction transaction(*beside_);
    beside_->Execute("UPDATE following_count_g1 SET n = 100 WHERE user_id = 9");
    EXPECT_EQ(CodeName(store_->Commit(batch)), ToString(ErrorCode::kConflict));
  });
  EXPECT_EQ(LoadedEdge(*store_, 1, 2), Edge{});
  CommitAndFollow(*store_, lane, batch);
  EXPECT_EQ(LoadedCount(*store_, 9), 2);
}

TEST_F(MysqlFaults, LanesOfOtherOwnersDoNotWaitForEachOther) {
  TakenLane lane = TakeOne(*store_, FollowingLane(1));
  TakeOne(*store_, FollowingLane(0));
  Beside([&] {
    mysql::Transaction transaction(*beside_);
    beside_->Execute(
        "UPDATE progress FORCE INDEX (PRIMARY) SET next_offset = 7 WHERE projection = 'following' "
        "AND generation = 1 AND `partition` = 0");
    CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, true, 5, 1)}));
    lane = TakeOne(*store_, FansLane(1), kApplying);
  });
}

// The key has fans first, the registry following.
TEST_F(MysqlFaults, LanesAreLockedInTheRegistrysOrder) {
  TakeOne(*store_, FollowingLane(0));
  TakeOne(*store_, FansLane(0), kApplying);
  const auto lock = [](mysql::Connection& connection, const char* projection) {
    connection.Execute(
        fmt::format("UPDATE progress FORCE INDEX (PRIMARY) SET owner = 'x' WHERE projection = '{}' "
                    "AND generation = 1 AND `partition` = 0",
                    projection));
  };
  auto third = tables_.Connect();
  Beside([&] {
    mysql::Transaction transaction(*beside_);
    lock(*beside_, "following");
    std::jthread taker([&] {
      EXPECT_TRUE(store_->TakeFences(std::vector{FansLane(0), FollowingLane(0)}, kApplying, "t"));
    });
    while (!WaitsForLanes()) std::this_thread::yield();
    EXPECT_TRUE(third->Run([&] {
      third->Execute("SET innodb_lock_wait_timeout = 1");
      lock(*third, "fans");
    })) << "fans are locked before following";
    transaction.Commit();
  });
}

TEST_F(MysqlFaults, ServerThatIsNotThereIsUnavailable) {
  const auto store =
      Must(NewMysqlLaneStore("mysql://root@localhost/x?socket=/nonexistent/socket", {}));
  const auto loaded = OpenEdges(*store, projections::kFans, kG1)->Load({}, std::vector{UserId(1)});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kUnavailable);
}

TEST_F(MysqlFaults, SchemaThatIsNotThereIsRefusedWithAdvice) {
  const auto store = Must(NewMysqlLaneStore(TestDsn(UniqueSpace()), {}));
  const auto loaded = OpenEdges(*store, projections::kFans, kG1)->Load({}, std::vector{UserId(1)});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kRefused);
  EXPECT_NE(loaded.error().message.find("fanfold init"), std::string::npos);
}

}  // namespace
}  // namespace fanfold::testing
