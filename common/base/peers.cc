#include "common/base/peers.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstring>

#include "common/base/trimmed.h"

namespace fanfold {
namespace {

constexpr std::size_t kV4At = 12;  // in an address of IPv6
constexpr unsigned kBitsBeforeV4 = 96;
constexpr unsigned kBitsOfByte = 8;
constexpr std::size_t kCustomerBytes = 8;

// As proxies note them: perhaps with a port, of IPv6 then in brackets.
std::optional<PeerAddress> ParseNoted(std::string_view text) {
  if (text.starts_with('[')) return PeerAddress::Parse(text.substr(1, text.find(']') - 1));
  if (const auto address = PeerAddress::Parse(text)) return address;
  return PeerAddress::Parse(text.substr(0, text.find(':')));
}

}  // namespace

std::optional<PeerAddress> PeerAddress::Parse(std::string_view text) {
  const std::string name(text);
  PeerAddress address;
  if (inet_pton(AF_INET6, name.c_str(), address.bytes.data()) == 1) return address;
  address.bytes[kV4At - 2] = address.bytes[kV4At - 1] = 0xff;
  if (inet_pton(AF_INET, name.c_str(), address.bytes.data() + kV4At) == 1) return address;
  return std::nullopt;
}

bool PeerAddress::is_v4() const noexcept {
  return std::all_of(bytes.begin(), bytes.begin() + kV4At - 2,
                     [](auto byte) { return byte == 0; }) &&
         bytes[kV4At - 2] == 0xff && bytes[kV4At - 1] == 0xff;
}

std::uint64_t PeerAddress::customer() const noexcept {
  std::uint64_t customer = 0;
  std::memcpy(&customer, bytes.data() + (is_v4() ? kCustomerBytes : 0), kCustomerBytes);
  return customer;
}

std::string PeerAddress::text() const {
  char text[INET6_ADDRSTRLEN] = "";
  is_v4() ? inet_ntop(AF_INET, bytes.data() + kV4At, text, sizeof text)
          : inet_ntop(AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

std::optional<PeerNetwork> PeerNetwork::Parse(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto address = PeerAddress::Parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const unsigned before = address->is_v4() ? kBitsBeforeV4 : 0;
  const unsigned most = static_cast<unsigned>(address->bytes.size()) * kBitsOfByte;
  PeerNetwork network;
  network.address_ = *address;
  network.bits_ = most;
  if (slash == text.size()) return network;
  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || bits > most - before) return std::nullopt;
  network.bits_ = before + bits;
  return network;
}

bool PeerNetwork::Has(const PeerAddress& address) const noexcept {
  const std::size_t whole = bits_ / kBitsOfByte;
  if (!std::equal(address.bytes.begin(), address.bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  address_.bytes.begin())) {
    return false;
  }
  const unsigned left = bits_ % kBitsOfByte;
  if (left == 0) return true;
  return (address.bytes[whole] >> (kBitsOfByte - left)) ==
         (address_.bytes[whole] >> (kBitsOfByte - left));
}

PeerAddress ClientOf(const PeerAddress& peer, std::string_view forwarded_for,
                     std::span<const PeerNetwork> trusted) {
  const auto is_trusted = [trusted](const PeerAddress& address) {
    return std::ranges::any_of(trusted, [&](const PeerNetwork& of) { return of.Has(address); });
  };
  PeerAddress client = peer;
  while (is_trusted(client) && !forwarded_for.empty()) {
    const std::size_t comma = forwarded_for.rfind(',');
    const bool first = comma == forwarded_for.npos;
    const auto noted = ParseNoted(Trimmed(forwarded_for.substr(first ? 0 : comma + 1)));
    if (!noted) break;
    client = *noted;
    forwarded_for = first ? std::string_view() : forwarded_for.substr(0, comma);
  }
  return client;
}

}  // namespace fanfold
