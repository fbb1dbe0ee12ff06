#include "common/http/workers.h"

#include <algorithm>
#include <array>
#include <sys/resource.h>
#include <utility>

namespace fanfold::http {
namespace {

constexpr int kPriorityBelow = 10;  // of nice(2)

}  // namespace

Workers::Workers(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

int Workers::DefaultThreads() {
  return static_cast<int>(std::max(std::thread::hardware_concurrency() / 2, 1U));
}

bool Workers::Submit(Job& job) { return Put(job, queue_, kQueueMax); }

bool Workers::SubmitSpare(Job& job) { return Put(job, spares_, kSparesMax); }

bool Workers::Put(Job& job, std::deque<Job>& queue, std::size_t max) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || queue.size() >= max) return false;
    queue.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void Workers::Stop() {
  std::array<std::deque<Job>, 2> dropped;  // outside the lock: what goes with them may come back
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    dropped[0].swap(queue_);
    dropped[1].swap(spares_);
  }
  changed_.notify_all();
  threads_.clear();
}

// On Linux a priority is a thread's.
void Workers::Work() {
  (void)setpriority(PRIO_PROCESS, 0, kPriorityBelow);
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty() || !spares_.empty(); });
      if (stopping_) return;
      std::deque<Job>& next = queue_.empty() ? spares_ : queue_;
      job = std::move(next.front());
      next.pop_front();
    }
    job();
  }
}

}  // namespace fanfold::http
