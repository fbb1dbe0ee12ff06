#include "reader/query_pool.h"

#include <sys/resource.h>
#include <utility>

#include "reader/tables/own_connections.h"

namespace fanfold::reader {
namespace {

// Of nice(2): connections' threads go first where a core is shared.
constexpr int kPriorityBelow = 5;

}  // namespace

QueryPool::QueryPool(ReaderFactory factory, int threads, Gauge& queued, std::size_t queue_max,
                     std::int32_t shards)
    : factory_(std::move(factory)), queue_max_(queue_max), shards_(shards), queued_(queued) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

QueryPool::~QueryPool() {
  std::deque<Job> dropped;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
    queued_.Set(0);
  }
  changed_.notify_all();
  threads_.clear();
}

Status QueryPool::Submit(Job job) {
  {
    const std::scoped_lock lock(mutex_);
    if (queue_.size() >= queue_max_) {
      return Fail(ErrorCode::kOverloaded, "too many queries wait for the database");
    }
    queue_.push_back(std::move(job));
    queued_.Set(static_cast<double>(queue_.size()));
  }
  changed_.notify_one();
  return {};
}

void QueryPool::ConnectWhileIdle(ShardedReader& connections) {
  for (std::int32_t shard = 0; shard < shards_; ++shard) {
    {
      const std::scoped_lock lock(mutex_);
      if (stopping_ || !queue_.empty()) return;
    }
    (void)connections.On(Shard(shard));
  }
}

// On Linux a priority is a thread's.
void QueryPool::Work() {
  (void)setpriority(PRIO_PROCESS, 0, kPriorityBelow);
  OwnConnections connections(factory_);
  ConnectWhileIdle(connections);
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      job = std::move(queue_.front());
      queue_.pop_front();
      queued_.Set(static_cast<double>(queue_.size()));
    }
    job(connections);
  }
}

}  // namespace fanfold::reader
