#include "reader/query_pool.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "tests/support/wait_until.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold::reader {
namespace {

struct PoolRig {
  testing::FakeTables tables;
  Metrics metrics;
  Gauge& queued = metrics.GetGauge("fanfold_reader_queue", "Queries that wait");
};

TEST(QueryPool, DoesEveryJobOnce) {
  constexpr int kJobs = 500;
  PoolRig rig;
  std::atomic<int> done = 0;
  std::promise<void> all;
  QueryPool pool(testing::FactoryOf(rig.tables), 3, rig.queued);
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_TRUE(pool.Submit([&](ShardedReader&) {
                      if (++done == kJobs) all.set_value();
                    })
                    .has_value());
  }
  all.get_future().wait();
  EXPECT_EQ(done, kJobs);
}

TEST(QueryPool, ConnectsBeforeItIsAskedAndGoesOnWhereAShardIsAway) {
  constexpr int kThreads = 3;
  constexpr std::int32_t kShards = 4;
  PoolRig rig;
  std::atomic<int> connected = 0;
  std::atomic<int> refused = 0;
  const ReaderFactory factory = [&](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
    if (shard == Shard(1)) {
      ++refused;
      return Fail(ErrorCode::kUnavailable, "away");
    }
    ++connected;
    return std::make_unique<testing::FakeReader>(rig.tables, shard);
  };
  QueryPool pool(factory, kThreads, rig.queued, QueryPool::kQueueMax, kShards);
  EXPECT_TRUE(testing::WaitUntil(
      [&] { return connected == kThreads * (kShards - 1) && refused == kThreads; }));
  std::promise<bool> answered;
  ASSERT_TRUE(pool.Submit([&](ShardedReader& readers) {
    answered.set_value(readers.On(Shard(2)).has_value() && !readers.On(Shard(1)).has_value());
  }));
  EXPECT_TRUE(answered.get_future().get());
  EXPECT_EQ(connected, kThreads * (kShards - 1)) << "it has been before";
}

TEST(QueryPool, EndsAfterTheJobUnderWayAndDropsTheOthers) {
  PoolRig rig;
  std::promise<void> running;
  std::promise<void> go;
  std::atomic<int> done = 0;
  const auto waiting = std::make_shared<int>(0);
  auto pool = std::make_unique<QueryPool>(testing::FactoryOf(rig.tables), 1, rig.queued);
  ASSERT_TRUE(pool->Submit([&](ShardedReader&) {
    running.set_value();
    go.get_future().wait();
    ++done;
  }));
  running.get_future().wait();
  ASSERT_TRUE(pool->Submit([&done, waiting](ShardedReader&) { ++done; }));
  std::jthread ending([&] { pool.reset(); });
  while (!rig.metrics.Text().contains("fanfold_reader_queue 0")) std::this_thread::yield();
  go.set_value();
  ending.join();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(waiting.use_count(), 1);
}

TEST(QueryPool, RefusesBeyondItsQueue) {
  PoolRig rig;
  std::promise<void> go;
  std::promise<void> running;
  QueryPool pool(testing::FactoryOf(rig.tables), 1, rig.queued, /*queue_max=*/2);
  ASSERT_TRUE(pool.Submit([&](ShardedReader&) {
    running.set_value();
    go.get_future().wait();
  }));
  running.get_future().wait();
  EXPECT_TRUE(pool.Submit([](ShardedReader&) {}).has_value());
  EXPECT_TRUE(pool.Submit([](ShardedReader&) {}).has_value());
  const Status refused = pool.Submit([](ShardedReader&) {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  EXPECT_NE(rig.metrics.Text().find("fanfold_reader_queue 2"), std::string::npos);
  go.set_value();
}

TEST(QueryPool, OpensEachShardOncePerThread) {
  PoolRig rig;
  std::atomic<int> opened = 0;
  std::promise<void> last;
  QueryPool pool(
      [&](Shard shard) {
        ++opened;
        return testing::FactoryOf(rig.tables)(shard);
      },
      1, rig.queued);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(pool.Submit([&, i](ShardedReader& readers) {
      EXPECT_TRUE(readers.On(Shard(0)).has_value());
      EXPECT_TRUE(readers.On(Shard(1)).has_value());
      if (i == 9) last.set_value();
    }));
  }
  last.get_future().wait();
  EXPECT_EQ(opened, 2);
}

}  // namespace
}  // namespace fanfold::reader
