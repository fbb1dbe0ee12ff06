#include "projector/runtime/shard_thread.h"

#include <chrono>
#include <utility>

namespace fanfold::projector {

ShardThread::ShardThread(std::unique_ptr<ShardWorker> worker) : worker_(std::move(worker)) {}

ShardThread::~ShardThread() { Stop(); }

Status ShardThread::Start() {
  if (Status opened = worker_->Open(); !opened) return opened;
  thread_ = std::thread([this] { Run(); });
  return {};
}

void ShardThread::Stop() {
  stopping_.store(true);
  if (thread_.joinable()) thread_.join();
}

std::uint64_t ShardThread::Post(bool gained, std::span<const Partition> partitions) {
  const std::lock_guard lock(mutex_);
  mail_.push_back({gained, {partitions.begin(), partitions.end()}});
  return ++posted_;
}

void ShardThread::Gain(std::span<const Partition> partitions) { (void)Post(true, partitions); }

std::uint64_t ShardThread::Lose(std::span<const Partition> partitions) {
  return Post(false, partitions);
}

bool ShardThread::WaitFor(std::uint64_t ticket, std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  return read_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                        [&] { return done_ >= ticket; });
}

Status ShardThread::Health() const {
  const std::lock_guard lock(mutex_);
  if (health_ && done_ < posted_) return Fail(ErrorCode::kUnavailable, "partitions change hands");
  return health_;
}

void ShardThread::Run() {
  while (!stopping_.load()) {
    ReadMail();
    worker_->OrderToDecide(to_decide_.load());
    worker_->OrderToHalt(to_halt_.load());
    worker_->Step(kPollMs);
    const std::lock_guard lock(mutex_);
    health_ = worker_->Health();
  }
}

void ShardThread::ReadMail() {
  while (true) {
    Letter letter;
    {
      const std::lock_guard lock(mutex_);
      if (mail_.empty()) return;
      letter = std::move(mail_.front());
      mail_.pop_front();
    }
    letter.gained ? worker_->Gain(letter.partitions) : worker_->Lose(letter.partitions);
    const std::lock_guard lock(mutex_);
    health_ = worker_->Health();
    ++done_;
    read_.notify_all();
  }
}

}  // namespace fanfold::projector
