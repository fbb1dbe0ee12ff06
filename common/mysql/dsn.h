// Where a shard's database is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fanfold {

struct Dsn {
  std::string user;
  std::string password;
  std::string host;
  std::uint16_t port = 3306;
  std::string socket;  // a path; when it is set, host and port are not used
  std::string schema;  // letters, digits, '_' and '-', at most kSchemaBytesMax
  // Paths, or empty.
  std::string password_file = {};  // the password, read at each connect
  std::string ssl_ca = {};         // what the server's certificate is verified with: TLS or nothing
  std::string ssl_cert = {};       // our own
  std::string ssl_key = {};
  friend bool operator==(const Dsn&, const Dsn&) = default;
};
inline constexpr std::size_t kSchemaBytesMax = 64;

// mysql://user[:password]@host[:port]/schema[?parameter=/path&…], the parameters being socket and
// the members above; user and password may be %-encoded. Off this machine ssl_ca is obligatory.
// Errors: kInvalidArgument; the message never holds the password.
[[nodiscard]] Result<Dsn> ParseDsn(std::string_view text);

}  // namespace fanfold
