// Threads for calls that block on the database.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/metrics.h"
#include "common/base/result.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// Each thread owns one connection a shard, opened when first needed, or before, so that nobody's
// first read waits for it. Thread-safe. The destructor
// waits for the jobs that run and drops those that have not begun: whoever wants their answers has
// to wait for them before.
class QueryPool {
 public:
  static constexpr int kThreadsDefault = 8;
  static constexpr int kThreadsMax = 256;
  static constexpr std::size_t kQueueMax = 4096;
  // A job that has waited this long for a worker is to be refused: behind a database that does not
  // answer, each would otherwise wait for all that came before.
  static constexpr std::int64_t kQueuedMaxMs = 1000;

  using Job = std::function<void(ShardedReader&)>;

  // `queued` shows how many jobs wait; it outlives the pool. Each thread connects to so many shards
  // as long as nothing waits; one that is away is asked again when it is needed.
  QueryPool(ReaderFactory factory, int threads, Gauge& queued, std::size_t queue_max = kQueueMax,
            std::int32_t shards = 0);
  ~QueryPool();
  QueryPool(const QueryPool&) = delete;
  QueryPool& operator=(const QueryPool&) = delete;

  // Errors: kOverloaded, the queue is full; the job is not taken. Does not block.
  [[nodiscard]] Status Submit(Job job);

 private:
  void Work();
  void ConnectWhileIdle(ShardedReader& connections);

  const ReaderFactory factory_;
  const std::size_t queue_max_;
  const std::int32_t shards_;
  Gauge& queued_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace fanfold::reader
