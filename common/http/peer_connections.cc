#include "common/http/peer_connections.h"

#include <algorithm>
#include <utility>

#include "common/base/logging.h"

namespace fanfold::http {

PeerConnections::PeerConnections(PeerRules rules, const Clock& clock, Metrics& metrics)
    : rules_(std::move(rules)),
      opened_max_(std::max(rules_.connections_max, kOpenedMin)),
      clock_(clock),
      refused_(metrics.GetCounter("fanfold_http_connections_refused_total",
                                  "Connections closed at once, of addresses with too many")) {}

std::shared_ptr<void> PeerConnections::Admit(const PeerAddress& peer) {
  static const auto uncounted = std::make_shared<char>();
  if (rules_.connections_max == 0 || IsExempt(peer)) return uncounted;
  const std::uint64_t customer = peer.customer();
  const std::int64_t now_ms = clock_.SteadyMs();
  {
    const std::scoped_lock lock(mutex_);
    ForgetOld(now_ms);
    Address& of = known_.try_emplace(customer, Address{.began_ms = now_ms}).first->second;
    if (now_ms - of.began_ms >= kWindowMs) of = {of.open, 0, now_ms};
    if (of.open < rules_.connections_max && of.opened < opened_max_) {
      ++of.open;
      ++of.opened;
      return {this, [this, customer](void*) { Leave(customer); }};
    }
  }
  TellRefused(peer);
  return nullptr;
}

std::size_t PeerConnections::addresses() {
  const std::scoped_lock lock(mutex_);
  return known_.size();
}

bool PeerConnections::IsExempt(const PeerAddress& peer) const {
  return std::ranges::any_of(rules_.exempt, [&](const PeerNetwork& of) { return of.Has(peer); });
}

void PeerConnections::Leave(std::uint64_t customer) {
  const std::scoped_lock lock(mutex_);
  const auto place = known_.find(customer);
  if (--place->second.open != 0 || known_.size() <= kLeftMax) return;
  if (place->second.opened < opened_max_) known_.erase(place);
}

void PeerConnections::ForgetOld(std::int64_t now_ms) {
  if (now_ms - swept_ms_ < kWindowMs) return;
  swept_ms_ = now_ms;
  std::erase_if(known_, [&](const auto& of) {
    return of.second.open == 0 && now_ms - of.second.began_ms >= kWindowMs;
  });
}

void PeerConnections::TellRefused(const PeerAddress& peer) {
  refused_.Add(1);
  const std::string from = peer.text();
  const std::int64_t times = told_.Tell(from, clock_.SteadyMs());
  if (times == 0) return;
  LogWarning("an address has too many connections", {{"from", from},
                                                     {"connections_max", rules_.connections_max},
                                                     {"opened_in_10_s_max", opened_max_},
                                                     {"times", times}});
}

}  // namespace fanfold::http
