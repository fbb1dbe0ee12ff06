// How many connections each address may have open.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "common/base/cause_filter.h"
#include "common/base/metrics.h"
#include "common/base/peers.h"

namespace fanfold::http {

struct PeerRules {
  std::int64_t connections_max = 0;      // of each address, IPv6 by /64; 0: no limit
  std::vector<PeerNetwork> exempt = {};  // those that bring others
};

// Of this process alone. It knows the addresses that have one open, so as many as connections at
// the most. Thread-safe.
class PeerConnections {
 public:
  // `metrics` outlives it.
  PeerConnections(PeerRules rules, Metrics& metrics);
  PeerConnections(const PeerConnections&) = delete;
  PeerConnections& operator=(const PeerConnections&) = delete;

  // Its place, given back when it is gone, which this outlives. Null: its address has all it may
  // have; that is counted, and logged: the first of each address, and after a minute how many more.
  [[nodiscard]] std::shared_ptr<void> Admit(const PeerAddress& peer);
  // How many addresses are known now.
  [[nodiscard]] std::size_t addresses();

 private:
  [[nodiscard]] bool IsExempt(const PeerAddress& peer) const;
  void Leave(std::uint64_t customer);
  void TellRefused(const PeerAddress& peer);

  const PeerRules rules_;
  Counter& refused_;
  CauseFilter told_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::int64_t> open_;
};

}  // namespace fanfold::http
