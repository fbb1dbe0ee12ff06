#include "common/mysql/dsn.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <ranges>
#include <utility>

namespace fanfold {
namespace {

constexpr std::string_view kShape =
    "mysql://user@host[:port]/schema[?parameter=/path&…] with the parameters "
    "socket, password_file, ssl_ca, ssl_cert, ssl_key";
constexpr std::string_view kScheme = "mysql://";

using Parameter = std::pair<std::string_view, std::string Dsn::*>;
constexpr Parameter kParameters[] = {
    {"socket", &Dsn::socket},   {"password_file", &Dsn::password_file},
    {"ssl_ca", &Dsn::ssl_ca},   {"ssl_cert", &Dsn::ssl_cert},
    {"ssl_key", &Dsn::ssl_key},
};

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

// What is wrong with them; nothing when nothing is.
std::optional<std::string> SetParameters(std::string_view text, Dsn& dsn) {
  for (const auto part : std::views::split(text, '&')) {
    const Cut parameter = CutAt(std::string_view(part.begin(), part.end()), '=');
    const auto known = std::ranges::find(kParameters, parameter.before, &Parameter::first);
    if (known == std::end(kParameters)) return "has an unknown parameter";
    std::string& member = dsn.*known->second;
    if (!member.empty()) return fmt::format("names {} twice", known->first);
    member = parameter.after.value_or("");
    if (!member.starts_with('/')) {
      return fmt::format("has a {} that is no absolute path", known->first);
    }
  }
  return std::nullopt;
}

bool IsThisMachine(const Dsn& dsn) {
  return !dsn.socket.empty() || dsn.host == "localhost" || dsn.host.starts_with("127.");
}

// What does not go together; nothing when all does.
std::optional<std::string> WhyNot(const Dsn& dsn) {
  if (!dsn.password.empty() && !dsn.password_file.empty()) return "has two passwords";
  if (dsn.ssl_cert.empty() != dsn.ssl_key.empty()) {
    return "names one of ssl_cert and ssl_key without the other";
  }
  if (!dsn.ssl_cert.empty() && dsn.ssl_ca.empty()) return "names ssl_cert without ssl_ca";
  if (dsn.ssl_ca.empty() && !IsThisMachine(dsn)) {
    return "leads to another machine without ssl_ca, "
           "the file of the certificates that the server's is verified with";
  }
  return std::nullopt;
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
    if (const auto wrong = SetParameters(*schema.after, dsn)) return Wrong(*wrong);
  }
  if (const auto wrong = WhyNot(dsn)) return Wrong(*wrong);
  return dsn;
}

}  // namespace fanfold
