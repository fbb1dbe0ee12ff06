#include "common/http/workers.h"

#include <algorithm>
#include <sys/resource.h>
#include <utility>

namespace fanfold::http {
namespace {

using std::chrono::steady_clock;

constexpr int kPriorityBelow = 10;  // of nice(2)

}  // namespace

Workers::Workers(int threads, std::chrono::milliseconds spare_wait) : spare_wait_(spare_wait) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

int Workers::DefaultThreads() {
  return static_cast<int>(std::max(std::thread::hardware_concurrency() / 2, 1U));
}

bool Workers::Submit(Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || queue_.size() >= kQueueMax) return false;
    queue_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

bool Workers::SubmitSpare(Job& job) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_ || spares_.size() >= kSparesMax) return false;
    spares_.push_back({std::move(job), steady_clock::now()});
  }
  changed_.notify_one();
  return true;
}

Workers::Job Workers::TakeNext() {
  const auto due = steady_clock::now() - spare_wait_;
  const bool takes_spare = queue_.empty() || (!spares_.empty() && spares_.front().since <= due);
  Job job = std::move(takes_spare ? spares_.front().job : queue_.front());
  takes_spare ? spares_.pop_front() : queue_.pop_front();
  return job;
}

void Workers::Stop() {
  // Dropped outside the lock: what goes with them may come back.
  std::deque<Job> jobs;
  std::deque<Spare> spares;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    jobs.swap(queue_);
    spares.swap(spares_);
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
      job = TakeNext();
    }
    job();
  }
}

}  // namespace fanfold::http
