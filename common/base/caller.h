// One client connection, for those who keep its requests a while. Who the client is: Principal.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/peers.h"

namespace fanfold {

// Null: none.
using Proxies = std::shared_ptr<const std::vector<PeerNetwork>>;

// Thread-safe; made by std::make_shared.
class Caller : public std::enable_shared_from_this<Caller> {
 public:
  // Requests of one caller that wait for something to happen. Most callers ask one at a time.
  static constexpr int kWaitsMax = 8;

  // Runs something where the caller's requests are handed over, unless the caller is gone by then.
  using Post = std::function<void(std::function<void()>)>;

  // Without a way to run it there it is run at once. `proxies`: those that are trusted.
  explicit Caller(PeerAddress peer = {}, Post post = {}, Proxies proxies = {})
      : peer_(peer), post_(std::move(post)), proxies_(std::move(proxies)) {}

  // Where the connection comes from.
  [[nodiscard]] const PeerAddress& peer() const noexcept { return peer_; }
  // Where a request comes from, by the addresses that trusted proxies have noted.
  [[nodiscard]] PeerAddress ClientOf(std::string_view forwarded_for) const {
    return proxies_ ? fanfold::ClientOf(peer_, forwarded_for, *proxies_) : peer_;
  }

  // Until GoOn no further request of the caller is handed over; GoOn hands over the one that waits.
  // One at a time.
  void Hold() noexcept { held_.store(true); }
  [[nodiscard]] bool is_held() const noexcept { return held_.load(); }
  void GoOn(std::function<void()> hand_over) {
    auto go_on = [self = shared_from_this(), hand_over = std::move(hand_over)] {
      self->held_.store(false);
      hand_over();
    };
    if (!post_) return go_on();
    post_(std::move(go_on));
  }

  // One whom a token names, or whoever it is where nobody is asked, has asked through the
  // connection. A gateway's brings several. One at a time.
  void Note(std::uint64_t client) noexcept {
    std::uint64_t first = 0;
    if (!client_.compare_exchange_strong(first, client) && first != client) of_several_ = true;
  }
  [[nodiscard]] bool is_of_nobody() const noexcept { return client_ == 0; }
  [[nodiscard]] bool is_of_several() const noexcept { return of_several_; }

  // Slows the caller down: until then no request is taken from the connection.
  void PauseUntil(std::int64_t steady_ms) noexcept { paused_until_ms_.store(steady_ms); }
  [[nodiscard]] std::int64_t paused_until_ms() const noexcept { return paused_until_ms_.load(); }

  // The caller sends no more, and may not read any more either: nothing is waited for in its name.
  void Leave() noexcept { gone_.store(true); }
  [[nodiscard]] bool is_gone() const noexcept { return gone_.load(); }

  // A place to wait in, given back when the last copy is gone; null when kWaitsMax are taken.
  [[nodiscard]] std::shared_ptr<const void> TakePlace() {
    if (waits_.fetch_add(1) >= kWaitsMax) {
      waits_.fetch_sub(1);
      return nullptr;
    }
    return {this, [self = shared_from_this()](const void*) { self->waits_.fetch_sub(1); }};
  }

 private:
  const PeerAddress peer_;
  const Post post_;
  const Proxies proxies_;
  std::atomic<bool> held_ = false;
  std::atomic<std::int64_t> paused_until_ms_ = 0;
  std::atomic<std::uint64_t> client_ = 0;
  std::atomic<bool> of_several_ = false;
  std::atomic<bool> gone_ = false;
  std::atomic<int> waits_ = 0;
};

using CallerPtr = std::shared_ptr<Caller>;

}  // namespace fanfold
