#include "common/base/loopback.h"

#include <arpa/inet.h>
#include <cstdint>
#include <string>
#include <strings.h>

namespace fanfold {

bool IsLoopback(std::string_view name) {
  constexpr std::uint32_t kFirstByte = 127;
  constexpr unsigned kBitsBehindIt = 24;
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  const std::string text(name);
  if (strcasecmp(text.c_str(), "localhost") == 0) return true;
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1)
    return ntohl(v4.s_addr) >> kBitsBehindIt == kFirstByte;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace fanfold
