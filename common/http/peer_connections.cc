#include "common/http/peer_connections.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "common/base/logging.h"

namespace fanfold::http {

PeerConnections::PeerConnections(PeerRules rules, Metrics& metrics)
    : rules_(std::move(rules)),
      refused_(metrics.GetCounter("fanfold_http_connections_refused_total",
                                  "Connections closed at once, of addresses with too many")) {}

std::shared_ptr<void> PeerConnections::Admit(const PeerAddress& peer) {
  static const auto uncounted = std::make_shared<char>();
  if (rules_.connections_max == 0 || IsExempt(peer)) return uncounted;
  const std::uint64_t customer = peer.customer();
  {
    const std::scoped_lock lock(mutex_);
    std::int64_t& open = open_[customer];
    if (open < rules_.connections_max) {
      ++open;
      return {this, [this, customer](void*) { Leave(customer); }};
    }
  }
  TellRefused(peer);
  return nullptr;
}

std::size_t PeerConnections::addresses() {
  const std::scoped_lock lock(mutex_);
  return open_.size();
}

bool PeerConnections::IsExempt(const PeerAddress& peer) const {
  return std::ranges::any_of(rules_.exempt, [&](const PeerNetwork& of) { return of.Has(peer); });
}

void PeerConnections::Leave(std::uint64_t customer) {
  const std::scoped_lock lock(mutex_);
  const auto place = open_.find(customer);
  if (--place->second == 0) open_.erase(place);
}

void PeerConnections::TellRefused(const PeerAddress& peer) {
  refused_.Add(1);
  const std::string from = peer.text();
  const std::int64_t times = told_.Tell(from, SystemClock().SteadyMs());
  if (times == 0) return;
  LogWarning("an address has too many connections",
             {{"from", from}, {"connections_max", rules_.connections_max}, {"times", times}});
}

}  // namespace fanfold::http
