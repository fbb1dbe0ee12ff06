// Threads for what would keep a connection's thread from its other connections.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fanfold::http {

// What takes longer than a millisecond, by the bytes that are known before it begins, is done here:
// large bodies are parsed, large answers compressed. Its threads run at a lower priority than those
// of connections, so that a core that is busy with one request still answers others at once.
// Thread-safe. The destructor stops.
class Workers {
 public:
  static constexpr std::size_t kQueueMax = 1'024;
  static constexpr std::size_t kSparesMax = 8;

  using Job = std::move_only_function<void()>;  // must not throw

  explicit Workers(int threads = DefaultThreads());
  ~Workers() { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Half of the cores.
  [[nodiscard]] static int DefaultThreads();
  // False: too many wait, or it was stopped; the job is not taken. Does not block.
  [[nodiscard]] bool Submit(Job& job);
  // The same for what may be left undone: all others go first, and kSparesMax of these wait.
  [[nodiscard]] bool SubmitSpare(Job& job);
  // Waits for those that run and drops those that wait.
  void Stop();

 private:
  [[nodiscard]] bool Put(Job& job, std::deque<Job>& queue, std::size_t max);
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::deque<Job> spares_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace fanfold::http
