// Threads for what would keep a connection's thread from its other connections.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fanfold::http {

// Does work that takes longer than a millisecond, by the bytes that are known before it begins:
// large bodies are parsed, large answers compressed. Its threads run at a lower priority than those
// of connections, so that a core that is busy with one request still answers others at once.
// Thread-safe. The destructor stops.
class Workers {
 public:
  static constexpr std::size_t kQueueMax = 1'024;
  static constexpr std::size_t kSparesMax = 8;
  static constexpr std::chrono::milliseconds kSpareWait{50};

  using Job = std::move_only_function<void()>;  // must not throw

  explicit Workers(int threads = DefaultThreads(),
                   std::chrono::milliseconds spare_wait = kSpareWait);
  ~Workers() { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Half of the cores.
  [[nodiscard]] static int DefaultThreads();
  // False: too many wait, or it was stopped; the job is not taken. Does not block.
  [[nodiscard]] bool Submit(Job& job);
  // The same for what may be left undone: all others go first, for so long, and kSparesMax of these
  // wait.
  [[nodiscard]] bool SubmitSpare(Job& job);
  // Waits for those that run and drops those that wait.
  void Stop();

 private:
  struct Spare {
    Job job;
    std::chrono::steady_clock::time_point since;
  };
  // Requires: the lock, and that there is one.
  [[nodiscard]] Job TakeNext();
  void Work();

  const std::chrono::milliseconds spare_wait_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::deque<Spare> spares_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace fanfold::http
