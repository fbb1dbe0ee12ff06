#include "reader/query_pool.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>

#include "tests/unit/reader/fake_tables.h"

namespace fanfold {
namespace {

struct Rig {
  testing::FakeTables tables;
  Metrics metrics;
  Gauge& queued = metrics.GetGauge("fanfold_reader_queue", "Queries that wait");
};

TEST(QueryPool, FinishesWhatWasTaken) {
  Rig rig;
  std::atomic<int> done = 0;
  {
    QueryPool pool(testing::FactoryOf(rig.tables), 3, rig.queued);
    for (int i = 0; i < 500; ++i) {
      ASSERT_TRUE(pool.Submit([&](ShardedReader&) { ++done; }).has_value());
    }
  }
  EXPECT_EQ(done, 500);
}

TEST(QueryPool, RefusesBeyondItsQueue) {
  Rig rig;
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
  Rig rig;
  std::atomic<int> opened = 0;
  {
    QueryPool pool(
        [&](Shard shard) {
          ++opened;
          return testing::FactoryOf(rig.tables)(shard);
        },
        1, rig.queued);
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(pool.Submit([](ShardedReader& readers) {
        EXPECT_TRUE(readers.On(Shard(0)).has_value());
        EXPECT_TRUE(readers.On(Shard(1)).has_value());
      }));
    }
  }
  EXPECT_EQ(opened, 2);
}

}  // namespace
}  // namespace fanfold
