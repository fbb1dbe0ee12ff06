// A worker and its thread. Gains and losses reach it through a mailbox, between two steps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "common/base/result.h"
#include "common/stream/ids.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {

class ShardThread {
 public:
  static constexpr std::int64_t kPollMs = 20;

  explicit ShardThread(std::unique_ptr<ShardWorker> worker);
  // Stops; blocks until the step under way ends.
  ~ShardThread();

  [[nodiscard]] Status Start();
  void Stop();

  // All thread-safe. These do not wait.
  void OrderToDecide(bool wants) { to_decide_.store(wants); }
  void OrderToHalt(bool wants) { to_halt_.store(wants); }
  void Gain(std::span<const Partition> partitions);
  // Returns a ticket for WaitFor.
  [[nodiscard]] std::uint64_t Lose(std::span<const Partition> partitions);
  // True when the loss has been carried out within timeout_ms.
  [[nodiscard]] bool WaitFor(std::uint64_t ticket, std::int64_t timeout_ms);

  [[nodiscard]] Status Health() const;

 private:
  struct Letter {
    bool gained = false;
    std::vector<Partition> partitions;
  };
  [[nodiscard]] std::uint64_t Post(bool gained, std::span<const Partition> partitions);
  void Run();
  void ReadMail();

  std::unique_ptr<ShardWorker> worker_;
  mutable std::mutex mutex_;
  std::condition_variable read_;
  std::deque<Letter> mail_;
  std::uint64_t posted_ = 0;
  std::uint64_t done_ = 0;
  Status health_;
  std::atomic<bool> to_decide_{true};
  std::atomic<bool> to_halt_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace fanfold::projector
