// What a disk and other programs do to the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "common/sqlite/connection.h"
#include "tests/contract/sqlite/sqlite_tables.h"
#include "tests/support/faulty_disk.h"

namespace fanfold::testing {
namespace {

class SqliteFaults : public ::testing::Test {
 protected:
  static constexpr std::int64_t kTimeoutMs = 100;

  // Made in its own time, which may be longer.
  static std::shared_ptr<SqliteTables> Open(const TablesFile& file, const Clock& clock) {
    (void)Must(OpenSqliteTables(file.path(), Shard(0), {16, 1}, clock));
    return Must(OpenSqliteTables(file.path(), Shard(0), {16, 1}, clock,
                                 {.statement_timeout_ms = kTimeoutMs}));
  }

  SystemClock clock_;
  TablesFile file_;
  std::shared_ptr<SqliteTables> tables_ = Open(file_, clock_);
  std::unique_ptr<LaneStore> store_ = NewSqliteLaneStore(tables_);
};

TEST_F(SqliteFaults, BatchThatFindsNoRoomIsAppliedWholeLaterOrNotAtAll) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  std::vector<EdgeRow> edges;
  for (std::uint64_t i = 1; i <= 1000; ++i) edges.push_back(Row(i, i + 1, true, 1, 1));
  const EdgeBatch batch = BatchOf(lane, 1000, edges);
  FaultyDisk disk;
  disk.Fill(true);
  const Status failed = store_->Commit(batch);
  EXPECT_EQ(CodeName(failed), ToString(ErrorCode::kUnavailable));
  EXPECT_THAT(failed.error().message, ::testing::HasSubstr("space"));
  EXPECT_EQ(LoadedEdge(*store_, 1, 2), Edge{});
  disk.Fill(false);
  CommitAndFollow(*store_, lane, batch);
  EXPECT_EQ(LoadedCount(*store_, 1000), 1);
}

TEST_F(SqliteFaults, StrangersTransactionIsWaitedForAndThenAConflict) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const EdgeBatch batch = BatchOf(lane, 1, {Row(1, 2, true, 1, 1)});
  sqlite::Connection stranger(file_.path(), {});
  {
    const sqlite::Transaction transaction(stranger, sqlite::Access::kWrites);
    const std::int64_t start_ms = clock_.SteadyMs();
    EXPECT_EQ(CodeName(store_->Commit(batch)), ToString(ErrorCode::kConflict));
    EXPECT_GE(clock_.SteadyMs() - start_ms, kTimeoutMs / 2);
    EXPECT_EQ(LoadedEdge(*store_, 1, 2), Edge{});
  }
  CommitAndFollow(*store_, lane, batch);
}

TEST_F(SqliteFaults, ReadersWaitForNoWriter) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, true, 1, 1)}));
  const auto reader = Must(NewSqliteProjectionReader(tables_));
  sqlite::Connection stranger(file_.path(), {});
  const sqlite::Transaction transaction(stranger, sqlite::Access::kWrites);
  stranger.Execute("UPDATE following_g1 SET active = 0");
  EXPECT_EQ(Must(reader->Page(Direction::kFollowing, kG1, UserId(1), {}, 10)).size(), 1U);
}

TEST_F(SqliteFaults, StoresOfManyThreadsCommitEveryBatchOnce) {
  constexpr int kThreads = 4;
  constexpr int kBatches = 100;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([this, t] {
        const auto store = NewSqliteLaneStore(tables_);
        TakenLane lane = TakeOne(*store, FollowingLane(t));
        for (int i = 0; i < kBatches; ++i) {
          EdgeBatch batch = BatchOf(lane, 1);
          batch.counts.push_back({UserId(1), 1});
          CommitAndFollow(*store, lane, batch);
        }
      });
    }
  }
  EXPECT_EQ(LoadedCount(*store_, 1), kThreads * kBatches);
}

TEST_F(SqliteFaults, StateThatWasSetIsOnTheDiskAndBatchesAreNot) {
  TakenLane lane = TakeOne(*store_, FollowingLane(0));
  const FaultyDisk disk;
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 2, true, 1, 1)}));
  EXPECT_EQ(disk.syncs(), 0);
  ASSERT_TRUE(store_->SetState(lane.lane, lane.fence, LaneState::kPaused, "lunch"));
  EXPECT_GE(disk.syncs(), 1);
  ASSERT_TRUE(store_->SetState(lane.lane, lane.fence, LaneState::kRunning, ""));
  const int before = disk.syncs();
  CommitAndFollow(*store_, lane, BatchOf(lane, 1, {Row(1, 3, true, 1, 2)}));
  EXPECT_EQ(disk.syncs(), before);
}

TEST(SqliteCheckpoint, WriteAheadLogIsMovedIntoTheFileAsItGrows) {
  SqliteTablesFile tables;
  const auto store = tables.NewStore();
  TakenLane lane = TakeOne(*store, FollowingLane(0));
  constexpr std::uint64_t kBatches = 30;
  const FaultyDisk disk;
  for (std::uint64_t b = 0; b < kBatches; ++b) {
    std::vector<EdgeRow> edges;
    // Users far apart: each row is on a page of its own soon.
    for (std::uint64_t i = 0; i < 4096; ++i) {
      edges.push_back(Row(1 + i * 1000 + b, 5, true, 1, 1));
    }
    CommitAndFollow(*store, lane, BatchOf(lane, 1, edges));
  }
  EXPECT_GE(disk.syncs(), 2);
}

TEST_F(SqliteFaults, KilledInTheMiddleOfBatchesItHasWholeOnes) {
  TakeOne(*store_, FollowingLane(0));
  store_.reset();
  tables_.reset();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto tables = Must(OpenSqliteTables(file_.path(), Shard(0), {16, 1}, clock_));
    const auto store = NewSqliteLaneStore(tables);
    TakenLane lane = TakeOne(*store, FollowingLane(0));
    for (std::uint64_t i = 1;; ++i) {
      EdgeBatch batch = BatchOf(lane, 1, {Row(i, 1, true, 1, 1), Row(i, 2, true, 1, 1)});
      CommitAndFollow(*store, lane, batch);
      (void)!write(ready[1], "x", 1);
    }
  }
  char byte = 0;
  std::int64_t told = 0;
  while (told < 200 && read(ready[0], &byte, 1) == 1) ++told;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[1]);
  while (read(ready[0], &byte, 1) == 1) ++told;
  close(ready[0]);

  tables_ = Must(OpenSqliteTables(file_.path(), Shard(0), {16, 1}, clock_));
  store_ = NewSqliteLaneStore(tables_);
  const std::int64_t next = TakeOne(*store_, FollowingLane(0)).progress.next_offset.value;
  EXPECT_GE(next, told);
  sqlite::Connection beside(file_.path(), {});
  sqlite::Statement sums = beside.Prepare(
      "SELECT (SELECT count(*) FROM following_g1), (SELECT total(n) FROM following_count_g1)");
  ASSERT_TRUE(sums.Next());
  EXPECT_EQ(sums.I64(0), 2 * next);
  EXPECT_EQ(sums.I64(1), 2 * next);
}

TEST_F(SqliteFaults, TablesThatAreGoneAreRefused) {
  sqlite::Connection beside(file_.path(), {});
  beside.Execute("DROP TABLE fan_count_g1");
  const auto loaded = OpenEdges(*store_, projections::kFans, kG1)->Load({}, std::vector{UserId(1)});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kRefused);
  EXPECT_THAT(loaded.error().message, ::testing::HasSubstr("fan_count_g1"));
}

}  // namespace
}  // namespace fanfold::testing
