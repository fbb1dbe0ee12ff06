// What stands before a handler: hosts, pages, types of bodies, paths and queries.
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "common/base/check.h"
#include "common/http/access.h"
#include "common/http/router.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

using http::Method;

constexpr Method kMethods[] = {Method::kGet,    Method::kHead,    Method::kPut,  Method::kPost,
                               Method::kDelete, Method::kOptions, Method::kOther};
constexpr std::string_view kNamedOrigin = "https://app.example.com";

std::string PercentEncoded(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789aBcDeF";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.append("%").append(1, kDigits[byte >> 4U]).append(1, kDigits[byte & 15U]);
  }
  return text;
}

// No page but one's own or a named one writes, and no body that a page can send unasked comes in.
void CheckAccess(const http::Request& request) {
  const bool is_read = request.method == Method::kGet || request.method == Method::kHead ||
                       request.method == Method::kOptions;
  if (is_read) return;
  const std::string origin(request.HeaderValue("Origin").value_or(kNamedOrigin));
  const std::string host(request.HeaderValue("Host").value_or(""));
  const bool is_own = http::EqualsIgnoringCase(origin, "http://" + host) ||
                      http::EqualsIgnoringCase(origin, "https://" + host);
  FANFOLD_CHECK(is_own || origin == kNamedOrigin, origin);
  const std::string_view type = request.HeaderValue("Content-Type").value_or("");
  FANFOLD_CHECK(
      request.body.empty() || http::EqualsIgnoringCase(type.substr(0, 16), "application/json"),
      type);
}

constexpr auto kRules = std::to_array<http::RouteRule>({
    {.route = "GET /healthz", .is_public = true},
    {.route = "GET /v1/users/{user}/fans", .scope = "relations:read"},
    {.route = "GET /v1/users/{user}/fans/export", .whose = http::WhoseRequest::kOfPath},
    {.route = "DELETE /v1/users/{user}/fans/{fan}"},
    {.route = "POST /v1/events"},
    {.route = "PUT /v1/users/{subject}/following/{object}"},
});

int handled = 0;

http::Handler Routes() {
  http::Router router(kRules);
  const auto handler = [](const http::Routed& routed, const http::Reply& reply) {
    ++handled;
    for (const std::string& segment : routed.path) FANFOLD_CHECK(!segment.empty(), segment);
    if (routed.request.path != "/healthz") CheckAccess(routed.request);
    const auto unknown = routed.query.RefuseUnknown({"limit", "cursor"});
    reply(unknown.value_or(http::Response()));
  };
  router.Add(Method::kGet, "/healthz", handler);
  router.Add(Method::kGet, "/v1/users/{user}/fans", handler);
  router.Add(Method::kGet, "/v1/users/{user}/fans/export", handler);
  router.Add(Method::kDelete, "/v1/users/{user}/fans/{fan}", handler);
  router.Add(Method::kPost, "/v1/events", handler, 8);
  router.Add(Method::kPut, "/v1/users/{subject}/following/{object}", handler);
  return http::Guarded({.bind = "127.0.0.1", .hosts = {}, .origins = {std::string(kNamedOrigin)}},
                       {}, router);
}

}  // namespace

const FuzzTarget kRoutes("routes", [](std::string_view input) {
  const std::string_view segment = input.substr(0, 32);
  const std::string encoded = PercentEncoded(segment);
  FANFOLD_CHECK(http::PercentDecoded(encoded, false) == segment, encoded);
  FANFOLD_CHECK(http::PercentDecoded(encoded, true) == segment, encoded);

  http::Request request;
  request.method = kMethods[TakeByte(input) % std::size(kMethods)];
  request.path = TakeLine(input);
  request.query = TakeLine(input);
  http::Headers headers;
  for (const char* name : {"Host", "Origin", "Content-Type"}) {
    const std::string_view value = TakeLine(input);
    FANFOLD_CHECK(value.empty() || headers.Add(name, value), name);
  }
  request.headers = &headers;
  request.body = input;

  static const http::Handler routes = Routes();
  handled = 0;
  int answered = 0;
  routes(request, http::Reply([&](const http::Response& response) {
           ++answered;
           FANFOLD_CHECK(response.status < 500, response.body);
           if (handled == 0 && response.status < 300) {
             FANFOLD_CHECK(request.method == Method::kOptions, response.body);
           }
         }));
  FANFOLD_CHECK(answered == 1 && handled <= 1, std::to_string(answered));
});

}  // namespace fanfold
