// Who brought a token. The way to it is short where the token is remembered; else a thread of its
// own looks at the signature.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "common/access/authority.h"
#include "common/access/remembered_tokens.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"

namespace fanfold {

// Thread-safe. The destructor drops what was not judged; whoever wants those answers waits before.
class Verifier {
 public:
  // Bounds on all requests that wait for a judgement, and on the bytes that they hold.
  static constexpr std::size_t kWaitingMax = 4'096;
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;
  static constexpr std::int64_t kReloadMs = 500;

  using Judged = std::function<void(const Result<PrincipalPtr>&)>;

  // All outlive it.
  Verifier(std::unique_ptr<Authority> authority, const Clock& clock, Metrics& metrics);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  // Answers at once for a remembered token, a static one, or a text that is none (kRefused).
  // A null pointer: ask Verify.
  [[nodiscard]] Result<PrincipalPtr> Now(std::string_view token);

  // Calls back once, on the verifier's thread, or here where it is known by now; the call must not
  // take long. `bytes`: what the caller holds meanwhile. Errors, and no call: kOverloaded.
  [[nodiscard]] Status Verify(std::string_view token, std::size_t bytes, Judged judged);

  // By the clock that tokens are judged by.
  [[nodiscard]] bool IsOver(const Principal& principal) const {
    return principal.IsOver(clock_.NowMs());
  }

  // A token for everything that ends with the process.
  [[nodiscard]] std::string Lend();

 private:
  struct Waiting {
    std::size_t bytes = 0;
    Judged judged;
  };
  using WaitingByToken = std::unordered_map<std::string, std::vector<Waiting>>;

  void Work(const std::stop_token& stop);
  void Judge(const std::string& token);
  std::vector<Waiting> TakeWaiting(const std::string& token);
  void Follow(const std::stop_token& stop);

  const std::unique_ptr<Authority> authority_;
  const Clock& clock_;
  Counter& accepted_;
  Counter& refused_;
  RememberedTokens remembered_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  WaitingByToken waiting_;
  std::deque<std::string> queue_;
  std::size_t waiting_count_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::jthread judge_;
  std::jthread follower_;
};

}  // namespace fanfold
