#include "common/http/limits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/base/split_mix.h"
#include "common/http/page_access.h"
#include "common/http/problem.h"
#include "common/http/refusals.h"

namespace fanfold::http {
namespace {

constexpr std::int64_t kSweepMs = 1'000;
constexpr std::size_t kLookedAt = 64;  // slots of a full table, for one who may be forgotten

std::uint64_t Mixed(std::uint64_t bits) { return SplitMix64(bits).Next(); }

}  // namespace

Limits::Limits(LimitRules rules, const Clock& clock, Metrics& metrics)
    : rules_(std::move(rules)),
      clock_(clock),
      limited_(metrics.GetCounter("fanfold_http_limited_total",
                                  "Requests refused with 429, of clients with too many")) {}

std::optional<Response> Limits::Refuse(const Request& request) {
  if (request.principal == nullptr) return RefuseStranger(request);
  const std::uint64_t client = ClientOfRequest(request);
  if (request.caller) request.caller->Note(client);
  const bool is_own = request.caller && !request.caller->is_of_several();
  return RefuseOf(clients_, client, rules_.per_second, request, is_own);
}

std::optional<Response> Limits::RefuseStranger(const Request& request) {
  if (rules_.strangers_per_second <= 0) return std::nullopt;
  const bool is_own = request.caller && request.caller->is_of_nobody();
  return RefuseOf(strangers_, AddressOf(request), rules_.strangers_per_second, request, is_own);
}

bool Limits::TakeStrangersPlace(const Request& request) {
  return rules_.strangers_per_second <= 0 ||
         Wait(strangers_, AddressOf(request), rules_.strangers_per_second) == 0;
}

void Limits::GiveBack(const Request& request) {
  if (rules_.strangers_per_second <= 0) return;
  const std::uint64_t client = AddressOf(request);
  Part& part = strangers_[client % kParts];
  const std::scoped_lock lock(part.mutex);
  const auto place = part.clients.find(client);
  if (place != part.clients.end()) place->second.left += 1;
}

std::optional<Response> Limits::RefuseOf(Parts& parts, std::uint64_t client, double per_second,
                                         const Request& request, bool slows_down) {
  if (per_second <= 0) return std::nullopt;
  const std::int64_t wait_ms = Wait(parts, client, per_second);
  if (wait_ms == 0) return std::nullopt;
  if (slows_down) SlowDown(*request.caller);
  return Noted(request, TooMany(wait_ms, per_second));
}

bool Limits::TakeSeat(std::uint64_t client) {
  Part& part = clients_[client % kParts];
  const std::scoped_lock lock(part.mutex);
  Bucket& bucket =
      part.clients.try_emplace(client, Bucket{SizeOf(rules_.per_second), clock_.SteadyMs()})
          .first->second;
  if (bucket.seated >= rules_.at_once_max) return false;
  bucket.seated += 1;
  return true;
}

std::expected<std::shared_ptr<void>, Response> Limits::Sit(const Request& request) {
  const std::uint64_t client = ClientOfRequest(request);
  if (!TakeSeat(client)) {
    limited_.Add(1);
    if (request.caller && !request.caller->is_of_several()) SlowDown(*request.caller);
    Response refused =
        Problem(problems::kRateLimited,
                fmt::format("{} requests of yours are under way already", rules_.at_once_max));
    refused.headers.emplace_back("Retry-After", "1");
    return std::unexpected(Noted(request, std::move(refused)));
  }
  return std::shared_ptr<void>(this, [this, client](void*) {
    Part& of = clients_[client % kParts];
    const std::scoped_lock again(of.mutex);
    const auto place = of.clients.find(client);
    place->second.seated -= 1;
    // A client with a full bucket, as a stranger has, need not be remembered.
    const double left = LeftOf(place->second, rules_.per_second, clock_.SteadyMs());
    if (place->second.seated == 0 && left >= SizeOf(rules_.per_second)) of.clients.erase(place);
  });
}

void Limits::SlowDown(Caller& caller) const {
  if (IsTrusted(caller.peer())) return;
  const std::int64_t now_ms = clock_.SteadyMs();
  SplitMix64 spread(std::bit_cast<std::uintptr_t>(&caller) ^ static_cast<std::uint64_t>(now_ms));
  caller.PauseUntil(now_ms + kPauseMinMs +
                    static_cast<std::int64_t>(spread.Below(kPauseMaxMs - kPauseMinMs + 1)));
}

std::size_t Limits::clients() {
  std::size_t known = 0;
  for (Part& part : clients_) {
    const std::scoped_lock lock(part.mutex);
    known += part.clients.size();
  }
  return known;
}

double Limits::SizeOf(double per_second) const {
  return std::max(per_second * rules_.burst_seconds, 1.0);
}

double Limits::LeftOf(const Bucket& bucket, double per_second, std::int64_t now_ms) const {
  const double came = static_cast<double>(now_ms - bucket.at_ms) / kMsPerSecond * per_second;
  return std::min(SizeOf(per_second), bucket.left + came);
}

std::int64_t Limits::Wait(Parts& parts, std::uint64_t client, double per_second) {
  const std::int64_t now_ms = clock_.SteadyMs();
  Part& part = parts[client % kParts];
  const std::scoped_lock lock(part.mutex);
  const auto [place, is_new] = part.clients.try_emplace(client, Bucket{SizeOf(per_second), now_ms});
  Bucket& bucket = place->second;
  const double left = LeftOf(bucket, per_second, now_ms);
  bucket.left = left >= 1 ? left - 1 : left;
  bucket.at_ms = now_ms;
  if (is_new && part.clients.size() > kClientsMax / kParts) {
    Forget(part, client, per_second, now_ms);
  }
  if (left >= 1) return 0;
  return static_cast<std::int64_t>(std::ceil((1 - left) / per_second * kMsPerSecond));
}

// Evicts the nearby client with the most tokens left.
void Limits::Forget(Part& part, std::uint64_t newcomer, double per_second,
                    std::int64_t now_ms) const {
  const double size = SizeOf(per_second);
  if (now_ms - part.swept_ms >= kSweepMs) {
    part.swept_ms = now_ms;
    const std::size_t idle = std::erase_if(part.clients, [&](const auto& client) {
      return client.second.seated == 0 && LeftOf(client.second, per_second, now_ms) >= size;
    });
    if (idle > 0) return;
  }
  std::uint64_t goes = newcomer;
  double most = 1;  // below it the client is refused
  const std::size_t slots = part.clients.bucket_count();
  for (std::size_t i = 0; i < std::min(slots, kLookedAt); ++i) {
    const std::size_t slot = (part.clients.bucket(newcomer) + i) % slots;
    for (auto of = part.clients.begin(slot); of != part.clients.end(slot); ++of) {
      if (of->first == newcomer || of->second.seated != 0) continue;
      const double left = LeftOf(of->second, per_second, now_ms);
      if (left < most) continue;
      most = left;
      goes = of->first;
    }
  }
  part.clients.erase(goes);
}

bool Limits::IsTrusted(const PeerAddress& peer) const {
  return std::ranges::any_of(rules_.trusted_proxies,
                             [&](const PeerNetwork& of) { return of.Has(peer); });
}

std::uint64_t Limits::AddressOf(const Request& request) const {
  if (!request.caller) return 0;
  const PeerAddress& peer = request.caller->peer();
  const auto noted = request.HeaderValue("X-Forwarded-For");
  if (!noted) return Mixed(peer.customer());
  if (!IsTrusted(peer)) TellUntrusted(peer);
  return Mixed(ClientOf(peer, *noted, rules_.trusted_proxies).customer());
}

void Limits::TellUntrusted(const PeerAddress& peer) const {
  if (told_untrusted_.load(std::memory_order_relaxed) || told_untrusted_.exchange(true)) return;
  LogWarning(
      "X-Forwarded-For of an address that is not in trusted_proxies does not count: if it "
      "is a proxy of yours, all who come by it share the limits of one address",
      {{"from", peer.text()}, {"setting", "trusted_proxies"}});
}

std::uint64_t Limits::ClientOfRequest(const Request& request) const {
  const PrincipalPtr& who = request.principal;
  if (!who || who->by == nullptr) return AddressOf(request);
  const std::uint64_t name = std::hash<std::string>()(who->name);
  return Mixed(name ^ (who->user ? Mixed(who->user->value) : 0));
}

// draft-ietf-httpapi-ratelimit-headers-10.
Response Limits::TooMany(std::int64_t wait_ms, double per_second) const {
  limited_.Add(1);
  const auto wait_s =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(wait_ms) / kMsPerSecond));
  const double size = SizeOf(per_second);
  Response response =
      Problem(problems::kRateLimited, fmt::format("more than {} requests a second", per_second));
  response.headers = {{"Retry-After", std::to_string(wait_s)},
                      {"RateLimit-Policy", fmt::format(R"("requests";q={:.0f};w={:.0f})", size,
                                                       std::ceil(rules_.burst_seconds))},
                      {"RateLimit", fmt::format(R"("requests";r=0;t={})", wait_s)}};
  return response;
}

Wrapper Limited(Limits& limits, LimitedTold told) {
  return [&limits, told = std::move(told)](Handler handler) {
    return [&limits, told, handler = std::move(handler)](const Request& request, Reply reply) {
      const auto refuse = [&](Response refused) {
        if (told) told(request, refused.status);
        reply(std::move(refused));
      };
      if (IsProbe(request.path)) return handler(request, std::move(reply));
      if (auto refused = limits.Refuse(request)) return refuse(*std::move(refused));
      if (!limits.has_seats()) return handler(request, std::move(reply));
      auto seat = limits.Sit(request);
      if (!seat) return refuse(std::move(seat.error()));
      reply.Pass([seat = *std::move(seat)](Response& response) mutable {
        response.held = std::exchange(seat, nullptr);
      });
      handler(request, std::move(reply));
    };
  };
}

}  // namespace fanfold::http
