// The log with a thread of its own: who waits, who is woken.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/sqlite/sqlite_event_log.h"
#include "tests/support/faulty_disk.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace fanfold {
namespace {

using testing::kPatienceMs;

class LogThread : public ::testing::Test {
 protected:
  std::unique_ptr<LogAppender> Appender(const AppenderOptions& options = {}) {
    return std::move(*log_->NewAppender(topics::kRelationEvents, options));
  }

  testing::TempFolder folder_;
  SystemClock clock_;
  std::unique_ptr<SqliteEventLog> log_ =
      std::move(*OpenSqliteEventLog(folder_.path() + "/log.db", clock_, {.partitions = 4}));
};

TEST_F(LogThread, ReaderThatWaitsIsWokenByAnAppend) {
  const auto reader = std::move(*log_->NewReader(topics::kRelationEvents));
  ASSERT_TRUE(reader->Start(Partition(2), Offset(0)).has_value());
  const std::int64_t start_ms = clock_.SteadyMs();
  std::jthread later([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto appender = Appender();
    appender->Append(Partition(2), "k", "v", [](const Result<Position>&) {});
    EXPECT_TRUE(appender->Flush(kPatienceMs));
  });
  const Result<LogBatch> batch = reader->Poll(10, kPatienceMs);
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->records.size(), 1U);
  EXPECT_LT(clock_.SteadyMs() - start_ms, kPatienceMs / 2);
}

TEST_F(LogThread, ReaderOfManyPartitionsGetsToAllOfThem) {
  const auto appender = Appender();
  for (int i = 0; i < 400; ++i) {
    appender->Append(Partition(i % 4), "k", "v", [](const Result<Position>&) {});
  }
  ASSERT_TRUE(appender->Flush(kPatienceMs));
  const auto reader = std::move(*log_->NewReader(topics::kRelationEvents));
  for (int p = 0; p < 4; ++p) ASSERT_TRUE(reader->Start(Partition(p), Offset(0)).has_value());
  std::vector<std::int32_t> first_of_batch;
  for (int i = 0; i < 4; ++i) {
    first_of_batch.push_back(reader->Poll(10, 0)->records.front().partition.value);
  }
  EXPECT_EQ(first_of_batch, (std::vector<std::int32_t>{0, 1, 2, 3}));
}

TEST_F(LogThread, AppendersOfManyThreadsEachKeepTheirOrder) {
  constexpr int kThreads = 4;
  constexpr int kEach = 2'000;
  std::vector<std::vector<std::int64_t>> offsets(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const auto appender = Appender();
        auto& mine = offsets[static_cast<std::size_t>(t)];
        for (int i = 0; i < kEach; ++i) {
          appender->Append(Partition(1), "k", "v", [&mine](const Result<Position>& position) {
            mine.push_back(position ? position->offset.value : -1);
          });
        }
        EXPECT_TRUE(appender->Flush(kPatienceMs));
      });
    }
  }
  std::vector<std::int64_t> all;
  for (const auto& mine : offsets) {
    EXPECT_TRUE(std::ranges::is_sorted(mine));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_EQ(all.front(), 0);
  EXPECT_EQ(all.back(), kThreads * kEach - 1);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

TEST_F(LogThread, ALingerMakesOneSyncOfManyAppends) {
  constexpr std::int64_t kLingerMs = 200;
  const auto appender = Appender({.linger_ms = kLingerMs});
  const testing::FaultyDisk disk;
  for (int i = 0; i < 1'000; ++i) {
    appender->Append(Partition(0), "k", "v", [](const Result<Position>&) {});
  }
  EXPECT_TRUE(appender->Flush(kPatienceMs));
  EXPECT_LE(disk.syncs(), 2);
}

TEST_F(LogThread, FullDiskIsWaitedOutAndTheAppenderGoesOn) {
  const auto appender = Appender();
  testing::FaultyDisk disk;
  disk.Fill(true);
  std::atomic<int> acked = 0;
  appender->Append(Partition(0), "k", "v",
                   [&](const Result<Position>& position) { acked += position ? 1 : 0; });
  EXPECT_FALSE(appender->Flush(50));
  disk.Fill(false);
  EXPECT_TRUE(appender->Flush(kPatienceMs));
  EXPECT_EQ(acked, 1);
}

TEST_F(LogThread, AppenderThatCannotWriteStillEnds) {
  auto appender = Appender({.delivery_timeout_ms = 0});
  testing::FaultyDisk disk;
  disk.Fill(true);
  std::atomic<int> unknown = 0;
  appender->Append(Partition(0), "k", "v", [&](const Result<Position>& position) {
    unknown += !position && position.error().code == ErrorCode::kUnknown ? 1 : 0;
  });
  EXPECT_FALSE(appender->Flush(20));
  appender.reset();
  EXPECT_EQ(unknown, 1);
}

}  // namespace
}  // namespace fanfold
