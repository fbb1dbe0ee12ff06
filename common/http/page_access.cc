#include "common/http/page_access.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/loopback.h"
#include "common/base/trimmed.h"
#include "common/http/problem.h"
#include "common/http/status.h"

namespace fanfold::http {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kPlain = "identity";
constexpr std::array<std::string_view, 2> kSchemes = {"http://", "https://"};

std::optional<in_addr> V4Of(std::string_view name) {
  in_addr address{};
  if (inet_pton(AF_INET, std::string(name).c_str(), &address) != 1) return std::nullopt;
  return address;
}

std::optional<in6_addr> V6Of(std::string_view name) {
  if (!name.starts_with('[') || !name.ends_with(']')) return std::nullopt;
  in6_addr address{};
  const std::string inside(name.substr(1, name.size() - 2));
  if (inet_pton(AF_INET6, inside.c_str(), &address) != 1) return std::nullopt;
  return address;
}

bool IsAddress(std::string_view name) { return V4Of(name) || V6Of(name); }

// The name of a Host, "name[:port]"; nothing when it is not one.
std::optional<std::string_view> NameOf(std::string_view host) {
  const std::size_t from = host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0;
  const std::size_t end = std::min(host.find(':', from), host.size());
  const std::string_view name = host.substr(0, end);
  const std::string_view port = host.substr(std::min(end + 1, host.size()));
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto is_of_a_name = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
  };
  if (name.empty() || !std::ranges::all_of(port, is_digit)) return std::nullopt;
  if (!std::ranges::all_of(name, is_of_a_name) && !V6Of(name)) return std::nullopt;
  return name;
}

bool IsWrite(Method method) {
  return method != Method::kGet && method != Method::kHead && method != Method::kOptions;
}

bool HasJsonOrNoBody(const Request& request) {
  if (!request.has_body()) return true;
  const std::string_view content_type = request.HeaderValue("Content-Type").value_or("");
  return EqualsIgnoringCase(Trimmed(content_type.substr(0, content_type.find(';'))), kJson);
}

bool IsEncoded(const Request& request) {
  const std::string_view encoding = request.HeaderValue("Content-Encoding").value_or("");
  return request.has_body() && !encoding.empty() && !EqualsIgnoringCase(encoding, kPlain);
}

bool IsPreflight(const Request& request) {
  return request.method == Method::kOptions && request.HeaderValue("Access-Control-Request-Method");
}

Response NotJson() {
  return Problem(problems::kUnsupportedMediaType, "the body must be application/json");
}

Response NotPlain() {
  Response response = Problem(problems::kUnsupportedMediaType,
                              "the body must be sent as it is, without Content-Encoding");
  response.headers.emplace_back("Accept-Encoding", kPlain);
  return response;
}

Response OriginRefused() {
  return Problem(problems::kOriginRefused,
                 "a page of this Origin may not; FANFOLD_ORIGINS names those that may");
}

// To a preflight of a named origin.
Response Allowed() {
  Response response;
  response.status = kNoContent;
  response.headers = {
      {"Access-Control-Allow-Methods", "GET, HEAD, PUT, POST, DELETE"},
      {"Access-Control-Allow-Headers",
       "Authorization, Cache-Control, Content-Type, Fanfold-Min-Position, Last-Event-ID, "
       "X-Request-Id, traceparent"},
      {"Access-Control-Max-Age", "600"}};
  return response;
}

class Guard {
 public:
  Guard(AccessRules rules, Handler handler)
      : handler_(std::move(handler)),
        hosts_(std::move(rules.hosts)),
        origins_(std::move(rules.origins)) {
    any_address_ = !IsLoopback(rules.bind);
    any_host_ = hosts_.empty() && any_address_;
    if (!any_address_) hosts_.clear();
  }

  void operator()(const Request& request, Reply reply) const {
    if (IsProbe(request.path)) return handler_(request, std::move(reply));
    const std::string_view host = request.HeaderValue("Host").value_or("");
    const auto name = NameOf(host);
    if (!name || !IsHost(*name)) {
      return reply(Problem(problems::kInvalidArgument,
                           "Host must be one name of this service, which FANFOLD_HOSTS tells"));
    }
    const auto origin = request.HeaderValue("Origin");
    const bool named = origin && std::ranges::count(origins_, *origin) != 0;
    if (!origins_.empty()) TellOrigins(reply, named ? *origin : std::string_view());
    if (IsWrite(request.method) && origin && !named && !IsOwn(*origin, host, *name)) {
      return reply(OriginRefused());
    }
    if (origin && IsPreflight(request)) return reply(named ? Allowed() : OriginRefused());
    handler_(request, std::move(reply));
  }

 private:
  [[nodiscard]] bool IsHost(std::string_view name) const {
    return any_host_ || IsOurs(name) || (any_address_ && IsAddress(name));
  }

  [[nodiscard]] bool IsOurs(std::string_view name) const {
    return IsLoopback(name) || std::ranges::any_of(hosts_, [name](std::string_view host) {
             return EqualsIgnoringCase(host, name);
           });
  }

  // Of a page that this host itself gave out. A name that is not ours by word may have been made to
  // lead here; an address may not.
  [[nodiscard]] bool IsOwn(std::string_view origin, std::string_view host,
                           std::string_view name) const {
    return (IsOurs(name) || IsAddress(name)) && IsOriginOf(host, origin);
  }

  // Caches are told that answers differ by origin, a named one that its page may read them.
  static void TellOrigins(const Reply& reply, std::string_view named) {
    reply.Pass([named = std::string(named)](Response& response) {
      response.headers.emplace_back("Vary", "Origin");
      if (!named.empty()) {
        response.headers.emplace_back("Access-Control-Allow-Origin", named);
        response.headers.emplace_back(
            "Access-Control-Expose-Headers",
            "Fanfold-Position, Fanfold-Lag-Ms, RateLimit, RateLimit-Policy, Retry-After, "
            "WWW-Authenticate, X-Request-Id, traceparent");
      }
    });
  }

  Handler handler_;
  bool any_host_ = false;
  bool any_address_ = false;
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace

bool IsOriginOf(std::string_view host, std::string_view origin) noexcept {
  return std::ranges::any_of(kSchemes, [&](std::string_view scheme) {
    return origin.starts_with(scheme) && EqualsIgnoringCase(origin.substr(scheme.size()), host);
  });
}

bool IsProbe(std::string_view path) noexcept { return path == "/healthz" || path == "/readyz"; }

std::string HostOf(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

Wrapper OwnHostsAndPages(AccessRules rules) {
  return [rules = std::move(rules)](Handler handler) { return Guard(rules, std::move(handler)); };
}

Wrapper JsonBodies() {
  return [](Handler handler) {
    return [handler = std::move(handler)](const Request& request, Reply reply) {
      if (request.principal && IsEncoded(request)) return reply(NotPlain());
      const bool is_told = request.principal && IsWrite(request.method);
      if (is_told && !HasJsonOrNoBody(request)) return reply(NotJson());
      handler(request, std::move(reply));
    };
  };
}

}  // namespace fanfold::http
