// Where a request comes from. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fanfold {

// An address of IPv6; one of IPv4 is mapped into it (RFC 4291, 2.5.5.2).
struct PeerAddress {
  std::array<std::uint8_t, 16> bytes{};

  [[nodiscard]] static std::optional<PeerAddress> Parse(std::string_view text);
  [[nodiscard]] bool is_v4() const noexcept;
  // The address of IPv4, the /64 of IPv6: one customer of a provider has it.
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

// The last address in `forwarded_for` that is not one of `trusted`: proxies append, so anybody may
// have written those before it. `peer` itself where nothing is noted, or `peer` is not trusted.
[[nodiscard]] PeerAddress ClientOf(const PeerAddress& peer, std::string_view forwarded_for,
                                   std::span<const PeerNetwork> trusted);

}  // namespace fanfold
