// Whether the log can be reached, found out beside the requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "writer/seen_log.h"

namespace fanfold::writer {

// A thread that looks whether the topics have the deployment's partitions and connects, then asks
// the log each kIntervalMs whether it is there and lets us append, and now and then whether it is
// still the same.
class LogWatch {
 public:
  static constexpr std::int64_t kIntervalMs = 1000;
  static constexpr int kAsksBetweenLooks = 5;
  static constexpr std::int64_t kPingTimeoutMs = 1000;

  // An error is the status until the next attempt.
  using Connect = std::function<Status()>;
  using MayAppend = std::function<Status()>;

  // Starts the thread. `connect` is called from it, each kIntervalMs until it has succeeded once;
  // from then on `may_append`. `log` outlives this.
  LogWatch(EventLog& log, std::int32_t partitions, Connect connect, MayAppend may_append);
  // Blocks for at most the call under way.
  ~LogWatch() = default;
  LogWatch(const LogWatch&) = delete;
  LogWatch& operator=(const LogWatch&) = delete;

  // Ok when the log is connected, has answered the last question and takes appends, else why not.
  // Thread-safe, does not block.
  [[nodiscard]] Status reachable() const;
  // Was it seen to be another? It stays so. Thread-safe, does not block.
  [[nodiscard]] bool is_other() const noexcept { return is_other_; }

 private:
  void Run(const std::stop_token& stop);
  [[nodiscard]] Status Ask();
  [[nodiscard]] Status LookWhenDue();
  [[nodiscard]] Status ConnectOnce();
  void Publish(Status status);

  EventLog& log_;
  const std::int32_t partitions_;
  const Connect connect_;
  const MayAppend may_append_;
  bool connected_ = false;  // the thread's own, as these
  SeenLog seen_;
  int asks_to_look_ = 0;
  Status same_;
  std::atomic<bool> is_other_ = false;
  mutable std::mutex mutex_;
  Status reachable_ = Fail(ErrorCode::kUnavailable, "the log has not been asked yet");
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace fanfold::writer
