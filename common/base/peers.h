// Where a request comes from. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fanfold {

// Of IPv6; one of IPv4 as it is mapped there (RFC 4291, 2.5.5.2).
struct PeerAddress {
  std::array<std::uint8_t, 16> bytes{};

  [[nodiscard]] static std::optional<PeerAddress> Parse(std::string_view text);
  [[nodiscard]] bool is_v4() const noexcept;
  // What one customer of a provider has: the address of IPv4, the /64 of IPv6.
  [[nodiscard]] std::uint64_t customer() const noexcept;
  [[nodiscard]] std::string text() const;
  friend bool operator==(const PeerAddress&, const PeerAddress&) = default;
};

// "10.0.0.0/8", "fd00::/8", or one address.
class PeerNetwork {
 public:
  [[nodiscard]] static std::optional<PeerNetwork> Parse(std::string_view text);
  [[nodiscard]] bool Has(const PeerAddress& address) const noexcept;

 private:
  PeerAddress address_;
  unsigned bits_ = 0;
};

// Of the addresses that proxies have noted, each behind those before it, the last that is not one
// of `trusted`: what stands before it anybody may have written. `peer` itself, unless it is
// trusted, and where nothing is noted.
[[nodiscard]] PeerAddress ClientOf(const PeerAddress& peer, std::string_view forwarded_for,
                                   std::span<const PeerNetwork> trusted);

}  // namespace fanfold
