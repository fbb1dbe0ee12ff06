#include "common/mysql/dsn.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace fanfold {
namespace {

constexpr std::string_view kShape = "mysql://user[:password]@host[:port]/schema[?socket=/path]";
constexpr std::string_view kScheme = "mysql://";
constexpr std::string_view kSocketParameter = "socket=";

std::unexpected<Error> Wrong(std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("the DSN {}; a DSN is {}", what, kShape));
}

std::optional<std::uint8_t> HexByte(std::string_view two) {
  std::uint8_t byte = 0;
  const auto [end, error] = std::from_chars(two.data(), two.data() + two.size(), byte, 16);
  if (two.size() != 2 || error != std::errc() || end != two.data() + 2) return std::nullopt;
  return byte;
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const std::optional<std::uint8_t> byte = HexByte(text.substr(i + 1, 2));
    if (!byte) return std::nullopt;
    decoded += static_cast<char>(*byte);
    i += 2;
  }
  return decoded;
}

bool IsSchemaName(std::string_view name) {
  return !name.empty() && name.size() <= kSchemaBytesMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// What stands before the first `separator`, and what after it; nothing after when it is not there.
struct Cut {
  std::string_view before;
  std::optional<std::string_view> after;
};

Cut CutAt(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

bool ParsePort(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

}  // namespace

Result<Dsn> ParseDsn(std::string_view text) {
  if (!text.starts_with(kScheme)) return Wrong("does not begin with mysql://");
  text.remove_prefix(kScheme.size());

  const std::size_t at = text.rfind('@', text.find('/'));
  if (at == std::string_view::npos) return Wrong("names no user");
  const Cut credentials = CutAt(text.substr(0, at), ':');
  const Cut address = CutAt(text.substr(at + 1), '/');
  if (!address.after) return Wrong("names no schema");
  const Cut host = CutAt(address.before, ':');
  const Cut schema = CutAt(*address.after, '?');

  const std::optional<std::string> user = PercentDecoded(credentials.before);
  const std::optional<std::string> password = PercentDecoded(credentials.after.value_or(""));
  if (!user || !password) return Wrong("has a '%' that no two hexadecimal digits follow");
  if (user->empty()) return Wrong("names no user");
  if (host.before.empty()) return Wrong("names no host");
  if (!IsSchemaName(schema.before)) return Wrong("has a schema of other than [A-Za-z0-9_-]{1,64}");

  Dsn dsn{*user, *password, std::string(host.before), 3306, "", std::string(schema.before)};
  if (host.after && !ParsePort(*host.after, dsn.port)) return Wrong("has a port outside 1 … 65535");
  if (schema.after) {
    if (!schema.after->starts_with(kSocketParameter)) return Wrong("has an unknown parameter");
    dsn.socket = schema.after->substr(kSocketParameter.size());
    if (!dsn.socket.starts_with('/')) return Wrong("has a socket that is no absolute path");
  }
  return dsn;
}

}  // namespace fanfold
