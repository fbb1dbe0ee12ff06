// How much of the process each client may have.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/peers.h"
#include "common/http/http_server.h"
#include "common/http/wrapper.h"

namespace fanfold::http {

struct LimitRules {
  double per_second = 0;            // of each principal, else of each address; 0: no limit
  double strangers_per_second = 0;  // of each address, of requests without a token that is good
  double burst_seconds = 2;         // what may come at once: that many seconds' worth
  std::int64_t at_once_max = 0;     // requests of one whose answer is not sent yet; 0: no limit
  std::vector<PeerNetwork> trusted_proxies = {};

  [[nodiscard]] bool any() const noexcept {
    return per_second > 0 || strangers_per_second > 0 || at_once_max > 0;
  }
};

// Token buckets (as in RFC 2697, one rate, one size) in a bounded table. When it is full, clients
// with full buckets are forgotten, then one with much left. No client that is refused is forgotten:
// others' coming lets nobody off. Where all are refused a newcomer is not remembered.
// For this process alone. Thread-safe.
class Limits {
 public:
  static constexpr std::size_t kClientsMax = 65'536;
  // How long one who is refused is slowed down; each connection anew, so that those who are refused
  // together do not come again together.
  static constexpr std::int64_t kPauseMinMs = 500;
  static constexpr std::int64_t kPauseMaxMs = 1'000;  // what Retry-After says at the least

  // Both outlive it.
  Limits(LimitRules rules, const Clock& clock, Metrics& metrics);

  // Takes the place of one request; else what is answered instead, 429.
  [[nodiscard]] std::optional<Response> Refuse(const Request& request);
  // The same for one whose token is not good.
  [[nodiscard]] std::optional<Response> RefuseStranger(const Request& request);
  // Takes such a place, where there is one, and refuses nobody.
  [[nodiscard]] bool TakeStrangersPlace(const Request& request);
  // A token that was judged was good, or was not judged: its address has brought one less.
  void GiveBack(const Request& request);
  // A seat until its answer is sent, null where none is needed; 429 where all are taken.
  [[nodiscard]] std::expected<std::shared_ptr<void>, Response> Sit(const Request& request);
  // How many clients are known now.
  [[nodiscard]] std::size_t clients();
  [[nodiscard]] bool has_seats() const noexcept { return rules_.at_once_max > 0; }

 private:
  struct Bucket {
    double left = 0;
    std::int64_t at_ms = 0;
    std::int64_t seated = 0;
  };
  struct Part {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Bucket> clients;
    std::int64_t swept_ms = 0;
  };
  static constexpr std::size_t kParts = 16;
  using Parts = std::array<Part, kParts>;

  // Stops reading the refused client's connection for a moment, unless a trusted proxy's: that one
  // is shared.
  void SlowDown(Caller& caller) const;
  std::optional<Response> RefuseOf(Parts& parts, std::uint64_t client, double per_second,
                                   const Request& request, bool slows_down);
  // False: the client has as many as it may.
  [[nodiscard]] bool TakeSeat(std::uint64_t client);
  // Milliseconds until there is a place; 0, and it is taken.
  std::int64_t Wait(Parts& parts, std::uint64_t client, double per_second);
  // How much a client may have at once, and how much it has left now.
  [[nodiscard]] double SizeOf(double per_second) const;
  [[nodiscard]] double LeftOf(const Bucket& bucket, double per_second, std::int64_t now_ms) const;
  void Forget(Part& part, std::uint64_t newcomer, double per_second, std::int64_t now_ms) const;
  [[nodiscard]] bool IsTrusted(const PeerAddress& peer) const;
  [[nodiscard]] std::uint64_t AddressOf(const Request& request) const;
  // Once: that whoever comes by it shares its limits is seen nowhere else.
  void TellUntrusted(const PeerAddress& peer) const;
  [[nodiscard]] std::uint64_t ClientOfRequest(const Request& request) const;
  [[nodiscard]] Response TooMany(std::int64_t wait_ms, double per_second) const;

  const LimitRules rules_;
  const Clock& clock_;
  Counter& limited_;
  mutable std::atomic<bool> told_untrusted_ = false;
  Parts clients_;
  Parts strangers_;
};

// Hears of each request that is refused, and with what.
using LimitedTold = std::function<void(const Request&, int status)>;

// Stands behind authentication and counts requests, but for /healthz and /readyz. `limits` outlives
// the handler.
[[nodiscard]] Wrapper Limited(Limits& limits, LimitedTold told = {});

}  // namespace fanfold::http
