// How many connections each address may have open, and how many it may open.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "common/base/cause_filter.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/peers.h"

namespace fanfold::http {

struct PeerRules {
  std::int64_t connections_max = 0;      // of each address, IPv6 by /64; 0: no limit
  std::vector<PeerNetwork> exempt = {};  // those that bring others
};

// For this process alone. In ten seconds an address may open as many connections as it may have, or
// kOpenedMin: connecting anew for each request costs handshakes, and evades being slowed down. It
// knows the addresses with an open connection, and kLeftMax without one; of more, those that were
// refused nothing are forgotten. Thread-safe.
class PeerConnections {
 public:
  static constexpr std::int64_t kWindowMs = 10'000;
  static constexpr std::int64_t kOpenedMin = 1'000;
  static constexpr std::size_t kLeftMax = 65'536;

  // Both outlive it.
  PeerConnections(PeerRules rules, const Clock& clock, Metrics& metrics);
  PeerConnections(const PeerConnections&) = delete;
  PeerConnections& operator=(const PeerConnections&) = delete;

  // Its place, given back when it is gone, which this outlives. Null: its address has all it may
  // have, or has opened all it may; that is counted, and logged: the first of each address, and
  // after a minute how many more.
  [[nodiscard]] std::shared_ptr<void> Admit(const PeerAddress& peer);
  // How many addresses are known now.
  [[nodiscard]] std::size_t addresses();

 private:
  struct Address {
    std::int64_t open = 0;
    std::int64_t opened = 0;  // since began_ms
    std::int64_t began_ms = 0;
  };
  [[nodiscard]] bool IsExempt(const PeerAddress& peer) const;
  void ForgetOld(std::int64_t now_ms);
  void Leave(std::uint64_t customer);
  void TellRefused(const PeerAddress& peer);

  const PeerRules rules_;
  const std::int64_t opened_max_;
  const Clock& clock_;
  Counter& refused_;
  CauseFilter told_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Address> known_;
  std::int64_t swept_ms_ = 0;
};

}  // namespace fanfold::http
